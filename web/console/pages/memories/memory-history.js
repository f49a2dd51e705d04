import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { Changes } from '../../parts/changes.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Layer } from '../../parts/names.js';
import { count, Moment } from '../../parts/words.js';
import { Person } from './labels.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {import('../../../../shared/schemas/memories.ts').MemoryVersion} MemoryVersion
 * @typedef {import('../../../../shared/schemas/audit.ts').AuditEvent} AuditEvent
 * @typedef {import('../../../../shared/schemas/captures.ts').ListedCapture} ListedCapture
 *
 * @typedef {object} Shared
 * @property {import('../../parts/ask.js').Ask} ask
 * @property {Memory} memory
 * @property {import('../../section.d.ts').Session} session
 * @property {readonly import('./labels.js').Member[] | null} members
 * @property {readonly import('../../parts/names.js').Client[] | null} clients
 * @property {import('../../section.d.ts').PageProps['link']} link
 */

/**
 * Reads a list again from its start whenever the memory has changed.
 * @param {{ reload: () => Promise<void> }} list
 * @param {Memory} memory
 */
function useReload(list, { version, updatedAt, state }) {
  const first = useRef(true);
  useLayoutEffect(() => {
    if (!first.current) void list.reload();
    first.current = false;
  }, [version, updatedAt, state]);
}

/**
 * The texts that the memory has had, newest first, with what each changed.
 * @param {Shared & { canChange: boolean, decisions: (part: string) => import('./memory-edit.js').Decision }} props
 */
export function Versions(props) {
  const { ask, memory, session, members, canChange } = props;
  const list = useList(ask, `memory/memories/${memory.id}/versions?limit=10`);
  useReload(list, memory);
  const decision = props.decisions('versions');
  const versions = /** @type {readonly MemoryVersion[] | null} */ (list.items);
  const isPublished = memory.state === 'published';
  const canRestore = canChange && (isPublished || memory.state === 'archived');
  /** @param {number} version */
  const restore = (version) =>
    decision.send(
      { action: 'restore', version, baseVersion: memory.version },
      `Version ${version} is published again. Searches find its text.`,
    );
  return html`
    <section class="card" aria-labelledby="versions-heading">
      <h2 id="versions-heading">Versions</h2>
      <p role="alert">${decision.problem}</p>
      <ol class="records memory-versions">
        ${versions?.map((version, index) => {
          const earlier = versions[index + 1];
          // The version before the last one that is shown is on the next page.
          const retitled = earlier !== undefined && earlier.title !== version.title;
          return html`
            <li key=${version.version}>
              <div class="memory-title">
                <h3>Version ${version.version}</h3>
                ${index === 0 && html`<span class="tag">${isPublished ? 'Current' : 'Latest'}</span>`}
                ${
                  canRestore &&
                  !(isPublished && index === 0) &&
                  html`<button
                    type="button"
                    class="small memory-restore"
                    aria-busy=${decision.busy ? 'true' : undefined}
                    onClick=${() => restore(version.version)}
                  >
                    Restore<span class="unseen"> version ${version.version}</span>
                  </button>`
                }
              </div>
              <ul class="facts">
                <li><${Person} id=${version.actorId} session=${session} members=${members} /></li>
                <li><${Moment} at=${version.createdAt} /></li>
              </ul>
              ${
                retitled &&
                html`<p class="memory-retitled" dir="auto">
                  Title: <del><span class="unseen">deleted: </span>${earlier.title}</del>${' '}
                  <ins><span class="unseen">inserted: </span>${version.title}</ins>
                </p>`
              }
              ${
                version.changes.every(({ op }) => op === 'equal')
                  ? html`<p class="quiet">The text is the same as before.</p>`
                  : earlier === undefined && list.next === null
                    ? html`<p class="text" dir="auto">${version.content}</p>`
                    : html`<${Changes} changes=${version.changes} />`
              }
            </li>
          `;
        })}
      </ol>
      ${versions?.length === 0 && html`<p>It has no version that was published.</p>`}
      <${ListEnd} list=${list} one="version" />
    </section>
  `;
}

/** What each event means. Others are shown by their name. @type {Readonly<Record<string, string>>} */
const EVENTS = {
  'memory.review': 'Sent to review',
  'memory.publish': 'Published',
  'memory.discard': 'Discarded',
  'memory.reopen': 'Put back into review',
  'memory.unpublish': 'Put back into review',
  'memory.update': 'Changed',
  'memory.delete': 'Archived',
  'memory.expire': 'Expired and archived',
  'memory.restore': 'Published again',
  'memory.renew': 'Expiry changed',
  'memory.move': 'Moved',
  'memory.keep': 'Feedback settled, kept as it is',
  'memory.feedback': 'Feedback given',
};

/**
 * Who did what, from the audit log. It needs Full access.
 * @param {Shared} props
 */
export function Events({ ask, memory, session, members }) {
  const list = useList(ask, `memory/audit?subjectId=${memory.id}&limit=20`);
  useReload(list, memory);
  const events = /** @type {readonly AuditEvent[] | null} */ (list.items);
  return html`
    <section class="card" aria-labelledby="events-heading">
      <h2 id="events-heading">What happened</h2>
      <ol class="records memory-events">
        ${events?.map(
          ({ id, kind, actorId, actorName, tokenId, at }) => html`
            <li key=${id}>
              <span>${EVENTS[kind] ?? kind}</span>
              <ul class="facts">
                <li><${Person} id=${actorId} name=${actorName} session=${session} members=${members} /></li>
                ${tokenId !== null && html`<li>with an agent token</li>`}
                <li><${Moment} at=${at} /></li>
              </ul>
            </li>
          `,
        )}
      </ol>
      <${ListEnd} list=${list} one="event" />
    </section>
  `;
}

/** Captures that are read at once. */
const CAPTURES_AT_ONCE = 5;

/**
 * The captures that the memory was made of. They are read when the user opens them.
 * @param {Shared} props
 */
export function Captures({ ask, memory, session, members, clients, link }) {
  const ids = memory.captureIds;
  const [shown, setShown] = useState(/** @type {readonly (ListedCapture | null)[] | null} */ (null));
  const [problem, setProblem] = useState('');
  const busy = useRef(false);

  async function more() {
    if (busy.current) return;
    busy.current = true;
    const from = shown?.length ?? 0;
    const replies = await Promise.all(
      ids.slice(from, from + CAPTURES_AT_ONCE).map((id) => ask('GET', `memory/captures/${id}`)),
    );
    busy.current = false;
    const failed = replies.find((reply) => !isDone(reply) && reply.status !== 404);
    setProblem(failed === undefined ? '' : problemOf(failed));
    if (failed !== undefined) return;
    setShown([...(shown ?? []), ...replies.map((reply) => (isDone(reply) ? reply.answer : null))]);
  }
  /** @param {Event} event */
  function toggled({ currentTarget }) {
    if (currentTarget instanceof HTMLDetailsElement && currentTarget.open && shown === null) void more();
  }
  const readable = shown?.filter((capture) => capture !== null) ?? [];
  const hidden = (shown?.length ?? 0) - readable.length;
  return html`
    <section class="card" aria-label="Where it comes from">
      <details onToggle=${toggled}>
        <summary class="capture-start">Made of ${count(ids.length, 'capture')}</summary>
        <ul class="records memory-captures">
          ${readable.map(
            (capture) => html`
              <li key=${capture.id}>
                <h3>
                  <a href=${link('/captures', { session: capture.sessionId })}><bdi>${capture.sessionId}</bdi></a>
                  ${capture.sequence !== null && ` · ${capture.sequence}`}
                </h3>
                <ul class="facts">
                  <li><${Person} id=${capture.createdBy} session=${session} members=${members} /></li>
                  <li><${Layer} id=${capture.clientId} clients=${clients} /></li>
                  <li><${Moment} at=${capture.createdAt} /></li>
                </ul>
                ${
                  capture.summary === null
                    ? html`<p class="quiet">
                        Only its sender can read it while the memory is neither in review nor published.
                      </p>`
                    : html`<p class="text" dir="auto">${capture.summary}</p>`
                }
              </li>
            `,
          )}
        </ul>
        <p class="quiet" role="status">
          ${shown === null ? 'Loading …' : hidden > 0 ? `${count(hidden, 'capture')} cannot be shown to you.` : ''}
        </p>
        <p role="alert">${problem}</p>
        ${
          shown !== null &&
          shown.length < ids.length &&
          html`<button type="button" class="small" onClick=${more}>Show more</button>`
        }
      </details>
    </section>
  `;
}
