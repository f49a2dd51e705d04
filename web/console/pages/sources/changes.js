import { html, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { CloseButton, Dialog, Question } from '../../parts/dialog.js';
import { isolated, size } from '../../parts/words.js';
import { Edit } from './edit.js';
import { ArchiveMeaning, canWrite, Problem } from './labels.js';

/**
 * @typedef {import('./labels.js').PageProps} PageProps
 * @typedef {import('./labels.js').Source} Source
 * @typedef {import('./labels.js').Client} Client
 * @typedef {import('./labels.js').SourceText} SourceText
 */

/** In the choice of a layer: the Team layer. A client has an id. */
const TEAM = 'team';

/**
 * What the user can do with a source: the buttons, and the dialogs that they open.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {SourceText} props.source
 * @param {ReturnType<typeof import('./labels.js').rightsOn>} props.rights
 * @param {readonly Client[] | null} props.clients
 * @param {PageProps['session']} props.session
 * @param {PageProps['team']} props.team
 * @param {PageProps['link']} props.link
 * @param {() => Promise<void>} props.reload
 * @param {(source: SourceText) => void} props.set
 * @param {(text: string) => void} props.say says what was done
 * @param {(text: string) => void} props.purged is called when the source does not exist any longer
 */
export function SourceChanges({
  ask,
  source,
  rights,
  clients,
  session,
  team,
  link,
  reload,
  set,
  say,
  purged,
}) {
  const [open, setOpen] = useState(/** @type {'edit' | 'move' | 'archive' | 'purge' | null} */ (null));
  const action = useAction(ask);
  const path = `memory/sources/${source.id}`;
  const user = { session, team };
  const targets = [null, ...(clients ?? []).map(({ id }) => id)].filter(
    (id) => id !== source.clientId && canWrite(user, id, clients),
  );

  /** @param {NonNullable<typeof open>} dialog */
  function show(dialog) {
    say('');
    action.clear();
    setOpen(dialog);
  }

  function close() {
    action.clear();
    setOpen(null);
  }

  /**
   * @param {string} method
   * @param {string} to
   * @param {object} [body]
   */
  async function send(method, to, body) {
    const reply = await action.send(method, to, body);
    // What failed because of a change that someone else made is shown with that change.
    if (reply === null) await reload();
    else setOpen(null);
    return reply;
  }

  /** @param {Source} now as the answer to a change has it */
  function changed(now) {
    set({ ...source, ...now, chunks: source.chunks });
  }

  async function move(/** @type {string} */ target) {
    const clientId = target === TEAM ? null : target;
    const reply = await send('PATCH', path, { clientId });
    if (reply === null) return;
    changed(reply.answer);
    say('Moved.');
  }

  async function archive() {
    if ((await send('DELETE', path)) === null) return;
    await reload();
    say('Archived. Searches no longer find it.');
  }

  async function restore() {
    say('');
    if ((await send('POST', `${path}/restore`)) === null) return;
    await reload();
    say('Restored. Searches find it again.');
  }

  async function purge() {
    if ((await send('POST', `${path}/purge`)) === null) return;
    purged('The source is deleted for good.');
  }

  const problem = action.problem === '' ? '' : html`<${Problem} text=${action.problem} link=${link} />`;
  const button = (
    /** @type {string} */ text,
    /** @type {NonNullable<typeof open>} */ dialog,
    danger = false,
  ) =>
    html`<button type="button" class=${danger ? 'small danger' : 'small'} onClick=${() => show(dialog)}>${text}</button>`;
  const dialog = { problem, busy: action.busy, close };
  const isForOthers =
    clients !== null &&
    team.state === 'active' &&
    source.kind !== 'memory' &&
    !Object.values(rights).includes(true);
  return html`
    ${
      isForOthers &&
      source.state === 'active' &&
      html`<p class="quiet source-others">Only the person who stored it, and those with Full access, can change it.</p>`
    }
    <div class="actions source-actions">
      ${rights.restore && html`<button type="button" class="small primary" aria-busy=${action.busy ? 'true' : undefined} onClick=${restore}>Restore</button>`}
      ${rights.tags && button(rights.change ? 'Edit' : 'Edit tags', 'edit')}
      ${rights.change && targets.length > 0 && button('Move', 'move')}
      ${rights.change && button('Archive', 'archive')}
      ${rights.purge && button('Delete for good', 'purge', true)}
    </div>
    ${open === null && html`<p role="alert">${problem}</p>`}
    ${
      open === 'edit' &&
      html`<${Edit}
        ...${dialog}
        ask=${ask}
        source=${source}
        tagsOnly=${source.kind === 'file'}
        act=${async (/** @type {object} */ body) => {
          const reply = await send('PATCH', path, body);
          if (reply === null) return;
          changed(reply.answer);
          say(
            reply.answer.redactions?.length > 0
              ? 'Saved. The title or a tag looks like it contains a password or a key: everyone who can read the source can read it.'
              : 'Saved.',
          );
        }}
      />`
    }
    ${
      open === 'move' &&
      html`<${Move} ...${dialog} source=${source} targets=${targets} clients=${clients} act=${move} />`
    }
    ${
      open === 'archive' &&
      html`<${Question} ...${dialog} heading="Archive this source?" yes="Archive" act=${archive}>
        <p><bdi>${source.title}</bdi></p>
        <${ArchiveMeaning} />
      <//>`
    }
    ${
      open === 'purge' &&
      html`<${Question} ...${dialog} heading="Delete this source for good?" yes="Delete for good" act=${purge}>
        <p><bdi>${source.title}</bdi></p>
        <p>These are deleted at once, and cannot be brought back:</p>
        <ul class="source-losses">
          <li>its text${source.state === 'archived' && ', which is kept so that it can be restored'}, with its passages and vectors</li>
          ${source.original !== null && html`<li>its file (${size(source.original.bytes)})</li>`}
          ${source.kind === 'import' && html`<li>the imports that it was made of</li>`}
          <li>its tags, its metadata, and how often it was found and opened</li>
        </ul>
        <p>The audit log keeps its id. Other sources with the same text stay. Backups keep what they have.</p>
      <//>`
    }
  `;
}

/**
 * Asks for the layer to move a source to.
 * @param {object} props
 * @param {SourceText} props.source
 * @param {readonly (string | null)[]} props.targets the layers that the user can move it to; null: the Team layer
 * @param {readonly Client[] | null} props.clients
 * @param {(target: string) => Promise<void>} props.act
 * @param {import('../../html.js').Children} props.problem
 * @param {boolean} props.busy
 * @param {() => void} props.close
 */
function Move({ source, targets, clients, act, problem, busy, close }) {
  const [target, setTarget] = useState(targets[0] ?? TEAM);
  const field = useRef(/** @type {HTMLSelectElement | null} */ (null));
  const nameOf = (/** @type {string} */ id) =>
    clients?.find((client) => client.id === id)?.name ?? 'a client';

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (field.current !== null) void act(field.current.value);
  }

  return html`
    <${Dialog} heading="Move this source" busy=${busy} close=${close}>
      <form class="source-form" onSubmit=${submit}>
        <p>
          <bdi>${source.title}</bdi> is now in the
          ${source.clientId === null ? ' Team layer' : html` layer of the client <bdi>${nameOf(source.clientId)}</bdi>`}.
        </p>
        <label for="move-target">Move to</label>
        <select
          id="move-target"
          ref=${field}
          value=${target}
          onChange=${(/** @type {Event & { currentTarget: HTMLSelectElement }} */ event) => setTarget(event.currentTarget.value)}
        >
          ${targets.map((id) =>
            id === null
              ? html`<option key=${TEAM} value=${TEAM}>Team layer</option>`
              : html`<option key=${id} value=${id}>${isolated(nameOf(id))}</option>`,
          )}
        </select>
        <p role="status">
          ${
            target === TEAM
              ? 'Then everyone in the Team can read it, and searches of the Team layer find it.'
              : html`Then only those with access to <bdi>${nameOf(target)}</bdi> can read it, and only searches that include
                  this client find it.`
          }
          ${' '}Its text, tags, imports and feedback move along.
        </p>
        <p role="alert">${problem}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Move</button>
        </div>
      </form>
    <//>
  `;
}
