import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { isDone, problemOf, useAsk, withQuery } from '../../parts/ask.js';
import { Question } from '../../parts/dialog.js';
import { useList } from '../../parts/list.js';
import { useClients } from '../../parts/names.js';
import { useRecord } from '../../parts/record.js';
import { count, isolated } from '../../parts/words.js';
import { AddFiles } from './add-files.js';
import { ImportList, isActive, STATES } from './import-list.js';
import { senderOf } from './sender.js';
import { SentFiles } from './sent-files.js';
import { Storage } from './storage.js';
import { useWatch } from './watch.js';

/**
 * @typedef {import('../../../../shared/schemas/imports.ts').Import} Import
 * @typedef {import('../../../../shared/schemas/status.ts').Status} Status
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 */

/** Moves the focus to the heading of the list: the link that removes a filter disappears when it is used. */
const toHeading = () => document.getElementById('imports-heading')?.focus();

/** What has become of an import, after its name. */
const DONE = { retry: 'is queued again.', cancel: 'is cancelled.', forget: 'is forgotten.' };

/**
 * The page of imports: files are added, and those that failed are retried.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page({ session, team, query, link, go, setTitle, lost }) {
  const { token, user, company } = session;
  const ask = useAsk({ session, team, lost });
  const state = Object.keys(STATES).includes(query.get('state') ?? '') ? query.get('state') : null;
  const client = query.get('client') || null;
  const known = useClients(ask);
  const clients = useMemo(() => known && [...known].sort((a, b) => a.name.localeCompare(b.name)), [known]);
  // A client that the user cannot reach is not asked for.
  const isKnown = client === null || clients?.some(({ id }) => id === client) === true;
  const askList = useMemo(() => (isKnown ? ask : () => new Promise(() => {})), [ask, isKnown]);
  /** @type {import('../../parts/list.js').List<Import>} */
  const list = useList(askList, withQuery('memory/imports', { state, clientId: client }));
  /** @type {ReturnType<typeof useRecord<Status>>} */
  const status = useRecord(ask, 'memory/status');
  const [, setChanges] = useState(0);
  const [news, setNews] = useState(/** @type {import('../../html.js').Children} */ (''));
  const [forgetting, setForgetting] = useState(/** @type {Import | null} */ (null));
  const action = useAction(ask);
  /** The last decision that was refused. */
  const [refused, setRefused] = useState(
    /** @type {{ id: string, name: string, text: string } | null} */ (null),
  );
  /** The imports with a decision that is on its way. Those on several imports do not wait for each other. */
  const [deciding, setDeciding] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const decided = useRef(new Set());
  const sender = senderOf(token, team.id);
  const { files, busy: sending, lost: refusal } = sender.view();

  const writes = team.state === 'active' && team.access !== 'read';
  const writable = clients?.filter(({ access }) => access === 'write') ?? null;
  const canDecide = (/** @type {Import} */ { createdBy, clientId }) =>
    writes &&
    (team.access === 'full' ||
      (createdBy === user.id && (clientId === null || writable?.some(({ id }) => id === clientId) === true)));
  const figures = status.value?.imports;
  const active = [
    ...(list.items ?? []).filter(isActive),
    ...files.flatMap(({ made }) => (made !== null && isActive(made) ? [made] : [])),
  ].map(({ id }) => id);
  const moving = active.length > 0 || (figures !== undefined && figures.queued + figures.running > 0);

  /** An earlier refusal, after which the user has got the access back. */
  const earlier = useRef(refusal);
  useLayoutEffect(() => sender.listen(() => setChanges((n) => n + 1)), [sender]);
  useLayoutEffect(() => {
    if (refusal !== null && refusal !== earlier.current) lost(refusal);
  }, [refusal]);

  /**
   * Shows what is known of some imports now.
   * @param {ReadonlyMap<string, Import | null>} known null: it no longer exists
   */
  function take(known) {
    sender.update(known);
    list.change((items) => {
      const matches = (/** @type {Import} */ item) =>
        (state === null || item.state === state) && (client === null || item.clientId === client);
      const byId = new Map(items.map((item) => [item.id, item]));
      const oldest = items.at(-1)?.createdAt ?? '';
      for (const [id, item] of known) {
        if (item === null || !matches(item)) byId.delete(id);
        else if (byId.has(id) || list.next === null || item.createdAt >= oldest) byId.set(id, item);
      }
      return [...byId.values()].sort((a, b) =>
        a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
      );
    });
  }

  const silent = useWatch({
    page: { token, team, lost },
    active,
    moving,
    take,
    setStatus: status.set,
  });

  /**
   * Makes a decision on an import, and shows what has become of it.
   * @param {Import} item
   * @param {'retry' | 'cancel' | 'forget'} decision
   */
  async function decide(item, decision) {
    if (decided.current.has(item.id)) return;
    const path = `memory/imports/${item.id}`;
    const [method, sent] =
      decision === 'retry' ? /** @type {const} */ (['POST', `${path}/retry`]) : ['DELETE', path];
    setNews('');
    action.clear();
    setRefused(null);
    decided.current.add(item.id);
    setDeciding(new Set(decided.current));
    const answer = await ask(method, sent);
    decided.current.delete(item.id);
    setDeciding(new Set(decided.current));
    const reply = isDone(answer) ? answer : null;
    if (reply === null) setRefused({ id: item.id, name: item.filename, text: problemOf(answer) });
    else {
      setForgetting((before) => (before?.id === item.id ? null : before));
      setNews(html`<bdi>${item.filename}</bdi> ${DONE[decision]}`);
    }
    // After a refusal, what is shown was out of date.
    const now = reply ?? (await ask('GET', path));
    const gone = now.status === 404 || (reply !== null && decision === 'forget');
    if (gone) take(new Map([[item.id, null]]));
    else if (isDone(now)) take(new Map([[item.id, now.answer ?? { ...item, state: 'cancelled' }]]));
    void status.reload();
  }

  async function retryAll() {
    setNews('');
    setRefused(null);
    const reply = await action.send('POST', 'memory/imports/retry', { all: true });
    if (reply !== null) {
      /** @type {Import[]} */
      const imports = reply.answer.imports;
      take(new Map(imports.map((item) => [item.id, item])));
      // The button disappears if none has failed.
      document.getElementById('imports-heading')?.focus();
      const what = imports.length === 1 ? 'import is' : 'imports are';
      setNews(
        imports.length === 0 ? 'There was nothing to retry.' : `${imports.length} ${what} queued again.`,
      );
    }
    void status.reload();
  }

  const rows = {
    link,
    user: user.id,
    clients: clients ?? [],
    canDecide,
    isDeciding: (/** @type {Import} */ { id }) => deciding.has(id),
    retry: (/** @type {Import} */ item) => void decide(item, 'retry'),
    cancel: (/** @type {Import} */ item) => void decide(item, 'cancel'),
    forget: (/** @type {Import} */ item) => {
      action.clear();
      setRefused(null);
      setForgetting(item);
    },
  };

  const going = (figures?.queued ?? 0) + (figures?.running ?? 0);
  useLayoutEffect(() => {
    if (sending)
      setTitle(
        `Sending: ${files.filter(({ state }) => state !== 'waiting' && state !== 'sending').length} of ${files.length}`,
      );
    else if (going > 0) setTitle(`${going} in progress`);
    else if (figures !== undefined)
      setTitle(figures.failed > 0 ? `${figures.failed} failed` : count(figures.completed, 'file'));
  });

  /** @param {string} name @param {string} value */
  const filter = (name, value) => go(link('/imports', { state, client, [name]: value }));
  const noWorker = status.value?.health.worker === false && (moving || going > 0);

  return html`
    <div class="page imports">
      ${team.state === 'archived' && html`<p class="notice">This Team is archived: it can be read, and nothing in it can be changed.</p>`}
      ${noWorker && html`<p class="notice imports-warn" role="status">No worker is running, so files wait. They are read as soon as one is started by those who operate the service.</p>`}
      ${silent && html`<p class="notice imports-warn" role="status">The service does not answer, so what is shown can be old. The page tries again by itself.</p>`}
      ${writes && html`<${AddFiles} clients=${writable} client=${writable?.some(({ id }) => id === client) === false ? null : client} sender=${sender} />`}
      <${SentFiles} sender=${sender} rows=${rows} />
      ${status.value?.usage !== undefined && html`<${Storage} usage=${status.value.usage} quota=${status.value.quota} mayChange=${company.role === 'owner'} link=${link} />`}
      <section class="card" aria-labelledby="imports-heading">
        <div class="bar">
          <h2 id="imports-heading" tabindex="-1">All imports</h2>
          ${
            writes &&
            (figures?.failed ?? 0) > 0 &&
            html`<button type="button" class="small" aria-busy=${action.busy ? 'true' : undefined} onClick=${retryAll}>
              ${team.access === 'full' ? `Retry all failed imports (${figures?.failed})` : 'Retry all of my failed imports'}
            </button>`
          }
        </div>
        <p role="status">${news}</p>
        <p role="alert">
          ${refused === null ? action.problem : refused.id !== forgetting?.id && html`<bdi>${refused.name}</bdi>: ${refused.text}`}
        </p>
        <form class="filters imports-filters" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
          <div>
            <label for="state">State</label>
            <select id="state" value=${state ?? ''} onChange=${(/** @type {any} */ event) => filter('state', event.target.value)}>
              <option value="">Every state</option>
              ${Object.entries(STATES).map(
                ([value, words]) =>
                  html`<option key=${value} value=${value}>
                    ${value === 'cancelled' || figures === undefined || client !== null ? words : `${words} (${figures[/** @type {'queued'} */ (value)]})`}
                  </option>`,
              )}
            </select>
          </div>
          <div>
            <label for="client">Client</label>
            <select id="client" value=${client ?? ''} onChange=${(/** @type {any} */ event) => filter('client', event.target.value)}>
              <option value="">The Team and every client</option>
              ${!isKnown && html`<option value=${client}>Another client</option>`}
              ${clients?.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
            </select>
          </div>
        </form>
        ${
          clients !== null &&
          !isKnown &&
          html`<p role="status">
            There is no such client, or you do not have access to it. <a href=${link('/imports', { state })} onClick=${toHeading}>Show all imports</a>
          </p>`
        }
        ${(clients === null || isKnown) && html`<${ImportList} list=${list} rows=${rows} empty=${html`<${Empty} filtered=${state !== null || client !== null} writes=${writes} archived=${team.state === 'archived'} all=${link('/imports')} />`} />`}
      </section>
      ${
        forgetting !== null &&
        html`<${Question}
          heading="Forget this import?"
          yes="Forget it"
          act=${() => decide(forgetting, 'forget')}
          problem=${refused?.id === forgetting.id ? refused.text : ''}
          busy=${deciding.has(forgetting.id)}
          close=${() => setForgetting(null)}
        >
          <p><bdi>${forgetting.filename}</bdi> leaves the list, and its file is deleted. To import it later, add it again.</p>
        <//>`
      }
    </div>
  `;
}

/**
 * In place of the list if it is empty.
 * @param {{ filtered: boolean, writes: boolean, archived: boolean, all: string }} props
 */
function Empty({ filtered, writes, archived, all }) {
  if (filtered)
    return html`<p class="quiet">No import matches. <a href=${all} onClick=${toHeading}>Show all imports</a></p>`;
  if (archived) return html`<p class="quiet">Nothing was imported.</p>`;
  return writes
    ? html`<p class="quiet">Nothing has been imported yet. Drop the first files on this page.</p>`
    : html`<p class="quiet">Nothing has been imported yet. You can only read in this Team: ask one of its members to import files.</p>`;
}
