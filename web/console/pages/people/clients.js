import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { isDone } from '../../parts/ask.js';
import { CloseButton, Dialog, Question } from '../../parts/dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { count, Moment } from '../../parts/words.js';
import { Filter, matches, useRest, useTeamPage, useTitle } from './team-page.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 */

const TAKEN = 'Another active client of the Team has this name. Choose another name.';

/**
 * The clients of the Team: those that the user can open, and for Full access the archived ones.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page(props) {
  const page = useTeamPage(props);
  const { query, link, rights, team } = page;
  const isArchive = rights.manages && query.get('state') === 'archived';
  return html`
    <div class="page people">
      ${team.state === 'archived' && html`<p class="notice">This Team is archived: nothing in it can be changed.</p>`}
      ${
        rights.manages &&
        html`<nav aria-label="Clients">
          <ul>
            ${[null, 'archived'].map(
              (state) => html`
                <li key=${state}>
                  <a href=${link('/clients', { state })} aria-current=${(state !== null) === isArchive ? 'page' : undefined}>
                    ${state === null ? 'Active' : 'Archived'}
                  </a>
                </li>
              `,
            )}
          </ul>
        </nav>`
      }
      <${ClientList} key=${String(isArchive)} page=${page} isArchive=${isArchive} />
    </div>
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {boolean} props.isArchive whether the archived clients are shown
 */
function ClientList({ page, isArchive }) {
  const { ask, query, link, rights, team } = page;
  /** @type {import('../../parts/list.js').List<Client>} */
  const list = useList(ask, isArchive ? 'team/clients?state=archived' : 'team/clients');
  const [asked, setAsked] = useState(
    /** @type {{ what: 'rename' | 'restore' | 'archive', client: Client } | null} */ (null),
  );
  const [status, setStatus] = useState('');
  const focusNext = useFocus();
  const sought = query.get('q') ?? '';
  useRest(list, sought !== '');
  const items = list.items ?? [];
  const shown = items.filter(({ name }) => matches(sought, [name]));
  const what = isArchive ? 'archived client' : 'client';
  useTitle(
    page,
    list.items === null
      ? isArchive
        ? 'Archived'
        : 'Active'
      : `${count(items.length, what)}${list.next === null ? '' : ' and more'}`,
  );

  /** @param {Client} client */
  function created(client) {
    list.change((now) => [client, ...now]);
    setStatus(
      `${client.name} was created. Owners and Admins can open it now; open it to Members under People.`,
    );
  }
  /** @param {Client} client @param {string} before */
  function renamed(client, before) {
    setAsked(null);
    list.change((now) => now.map((item) => (item.id === client.id ? client : item)));
    setStatus(`${before} is now called ${client.name}.`);
  }
  /** @param {Client} client @param {string} text what happened to it */
  function gone(client, text) {
    const place = shown.findIndex(({ id }) => id === client.id);
    const next = shown[place + 1] ?? shown[place - 1];
    setAsked(null);
    list.change((now) => now.filter(({ id }) => id !== client.id));
    setStatus(text);
    focusNext(...(next === undefined ? [] : [`client-${next.id}`]), 'clients-heading');
  }

  const dialog = { page, client: asked?.client, close: () => setAsked(null), gone };
  return html`
    ${rights.changes && !isArchive && html`<${CreateForm} page=${page} created=${created} isFirst=${list.items?.length === 0} />`}
    <section class="card" aria-labelledby="clients-heading">
      <div class="bar">
        <h2 id="clients-heading" tabindex="-1">${isArchive ? 'Archived clients' : rights.manages ? 'Clients' : 'Clients that you can open'}</h2>
        ${(items.length > 0 || sought !== '') && html`<${Filter} page=${page} path="/clients" name="q" label="Find by name" />`}
      </div>
      ${isArchive && html`<p class="quiet">An archived client and everything in it cannot be found by anyone, until it is restored. Its grants are kept.</p>`}
      <p role="status" class="outcome" dir="auto">${status}</p>
      ${list.items !== null && shown.length === 0 && list.next === null && html`<${Empty} page=${page} isArchive=${isArchive} isFiltered=${sought !== '' && items.length > 0} />`}
      <ul class="records people-rows">
        ${shown.map((client) => {
          const { id, name, access, createdAt } = client;
          const of = html`<span class="unseen"> <bdi>${name}</bdi></span>`;
          return html`
            <li key=${id} id=${`client-${id}`} tabindex="-1">
              <div class="who-cell">
                <h3><bdi>${name}</bdi></h3>
                ${
                  !isArchive &&
                  html`<p class="quiet links-line">
                    <a href=${link('/sources', { client: id })}>Sources<span class="unseen"> of</span>${of}</a>
                    <a href=${link('/search', { in: id })}>Search<span class="unseen"> in</span>${of}</a>
                    ${rights.manages && html`<a href=${link('/people', { view: 'access', client: name })}>Who can open it<span class="unseen">:</span>${of}</a>`}
                  </p>`
                }
              </div>
              <p class="role-cell">${!isArchive && html`<span class="tag">${access === 'write' && team.state === 'active' ? 'Read and write' : 'Read'}</span>`}</p>
              <p class="quiet since-cell">Created <${Moment} at=${createdAt} /></p>
              <div class="actions">
                ${
                  rights.changes &&
                  !isArchive &&
                  html`<button type="button" class="small" onClick=${() => setAsked({ what: 'rename', client })}>Rename${of}</button>
                  <button type="button" class="small danger" onClick=${() => setAsked({ what: 'archive', client })}>Archive${of}</button>`
                }
                ${rights.changes && isArchive && html`<button type="button" class="small" onClick=${() => setAsked({ what: 'restore', client })}>Restore${of}</button>`}
              </div>
            </li>
          `;
        })}
      </ul>
      <${ListEnd} list=${{ ...list, items: list.items && shown }} one=${what} />
    </section>
    ${(asked?.what === 'rename' || asked?.what === 'restore') && html`<${NameDialog} ...${dialog} isRestore=${asked.what === 'restore'} renamed=${renamed} />`}
    ${asked?.what === 'archive' && html`<${ArchiveQuestion} ...${dialog} />`}
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {boolean} props.isArchive
 * @param {boolean} props.isFiltered
 */
function Empty({ page, isArchive, isFiltered }) {
  const { rights, link } = page;
  if (isFiltered) return html`<p class="quiet">No client has this in its name.</p>`;
  if (isArchive) return html`<p class="quiet">No client is archived.</p>`;
  if (rights.changes) {
    return html`<p>The Team has no clients yet. A client is a layer of its own for a customer or a project: its texts are found only by those to whom it is open. Create the first one above.</p>`;
  }
  if (rights.manages) return html`<p>The Team has no clients.</p>`;
  return html`<p>No client is open to you. Ask one of the <a href=${link('/people')}>Owners or Admins</a> of the Team.</p>`;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {(client: Client) => void} props.created
 */
function CreateForm({ page, created }) {
  const [name, setName] = useState('');
  const { busy, problem, setProblem, send } = useAction(page.ask, { conflict: TAKEN });
  /** @param {SubmitEvent} event */
  async function create(event) {
    event.preventDefault();
    document.getElementById('client-name')?.focus();
    if (name.trim() === '') return setProblem('Enter a name for the client.');
    const reply = await send('POST', 'team/clients', { name });
    if (reply === null) return;
    setName('');
    created(reply.answer);
  }
  return html`
    <section class="card" aria-labelledby="create-heading">
      <h2 id="create-heading">New client</h2>
      <form class="filters" novalidate onSubmit=${create}>
        <div class="wide">
          <label for="client-name">Name</label>
          <input id="client-name" type="text" autocomplete="off" maxlength="300" required value=${name} aria-describedby="create-problem"
            aria-invalid=${problem === '' ? undefined : 'true'}
            onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setName(currentTarget.value)} />
        </div>
        <button type="submit" aria-busy=${busy ? 'true' : undefined}>Create</button>
      </form>
      <p id="create-problem" role="alert">${problem}</p>
    </section>
  `;
}

/**
 * @typedef {object} ForClient
 * @property {TeamPage} page
 * @property {Client} client
 * @property {() => void} close
 * @property {(client: Client, text: string) => void} gone is called when the client is no longer in the list
 */

/**
 * Asks for the name of a client, to rename or to restore it: its name can be taken by now.
 * @param {ForClient & { isRestore: boolean, renamed: (client: Client, before: string) => void }} props
 */
function NameDialog({ page, client, close, gone, isRestore, renamed }) {
  const [name, setName] = useState(client.name);
  const { busy, problem, setProblem, request } = useAction(page.ask, { conflict: TAKEN });
  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    if (name.trim() === '') return setProblem('Enter a name for the client.');
    const reply = await request('PATCH', `team/clients/${client.id}`, {
      ...(name === client.name && isRestore ? {} : { name }),
      ...(isRestore ? { state: 'active' } : {}),
    });
    if (reply === null) return;
    if (reply.status === 404) return gone(client, `${client.name} was archived by someone else.`);
    if (!isDone(reply)) return;
    if (isRestore)
      gone(client, `${reply.answer.name} is active again, with everything in it and its grants.`);
    else renamed(reply.answer, client.name);
  }
  return html`
    <${Dialog} heading=${isRestore ? 'Restore this client?' : 'Rename this client'} busy=${busy} close=${close}>
      <form class="people-form" novalidate onSubmit=${save}>
        ${isRestore && html`<p><bdi>${client.name}</bdi> and everything in it can be found again, by those to whom it was open.</p>`}
        <label for="rename">Name</label>
        <input id="rename" type="text" autocomplete="off" maxlength="300" required value=${name} aria-describedby="rename-problem"
          onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setName(currentTarget.value)} />
        <p id="rename-problem" role="alert">${problem}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>${isRestore ? 'Restore' : 'Rename'}</button>
        </div>
      </form>
    <//>
  `;
}

/** @param {ForClient} props */
function ArchiveQuestion({ page, client, close, gone }) {
  const { busy, problem, request } = useAction(page.ask);
  async function archive() {
    const reply = await request('DELETE', `team/clients/${client.id}`);
    if (reply === null) return;
    if (isDone(reply)) gone(client, `${client.name} is archived.`);
    else if (reply.status === 404) gone(client, `${client.name} was already archived by someone else.`);
  }
  return html`
    <${Question} heading="Archive this client?" yes="Archive" act=${archive} problem=${problem} busy=${busy} close=${close}>
      <p><bdi>${client.name}</bdi> and everything in it can no longer be found or opened by anyone.</p>
      <ul>
        <li>Nothing is deleted, and its grants are kept.</li>
        <li>Owners and Admins find it under “Archived” and can restore it at any time.</li>
      </ul>
    <//>
  `;
}
