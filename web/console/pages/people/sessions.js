import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { isDone } from '../../parts/ask.js';
import { ListEnd, useList } from '../../parts/list.js';
import { count, Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/accounts.ts').SessionRecord} SessionRecord
 */

/** In the order in which they are looked for, because browsers name others too. */
const PROGRAMS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/**
 * What a session is used with.
 * @param {string | null} userAgent
 */
function deviceOf(userAgent) {
  if (userAgent === null) return 'Unknown program';
  const [program, system] = [PROGRAMS, SYSTEMS].map(
    (known) => known.find(([pattern]) => pattern instanceof RegExp && pattern.test(userAgent))?.[1],
  );
  if (program === undefined) return userAgent;
  return system === undefined ? String(program) : `${program} on ${system}`;
}

/**
 * Where the user is signed in.
 * @param {object} props
 * @param {object} props.page
 * @param {import('../../parts/ask.js').Ask} props.page.ask
 */
export function Sessions({ page }) {
  /** @type {import('../../parts/list.js').List<SessionRecord>} */
  const list = useList(page.ask, 'auth/sessions');
  const [status, setStatus] = useState('');
  const { busy, problem, request } = useAction(page.ask);
  const focusNext = useFocus();
  const others = (list.items ?? []).filter(({ current }) => !current);

  /** @param {SessionRecord} session @returns {Promise<boolean>} */
  async function end({ id }) {
    const reply = await request('DELETE', `auth/sessions/${id}`);
    // 404: it has ended by itself.
    if (reply === null || (!isDone(reply) && reply.status !== 404)) return false;
    list.change((now) => now.filter((item) => item.id !== id));
    return true;
  }
  /** @param {SessionRecord} session */
  async function endOne(session) {
    const place = others.indexOf(session);
    const next = others[place + 1] ?? others[place - 1];
    if (!(await end(session))) return;
    setStatus('The session has ended.');
    focusNext(...(next === undefined ? [] : [`end-${next.id}`]), 'sessions-heading');
  }
  async function endOthers() {
    setStatus('');
    let done = 0;
    for (const session of others) {
      if (!(await end(session))) return;
      done += 1;
    }
    setStatus(`${count(done, 'session has', 'sessions have')} ended.`);
    focusNext('sessions-heading');
  }

  return html`
    <section class="card" aria-labelledby="sessions-heading">
      <div class="bar">
        <h2 id="sessions-heading" tabindex="-1">Sessions</h2>
        ${others.length > 1 && html`<button type="button" class="small danger" aria-busy=${busy ? 'true' : undefined} onClick=${endOthers}>End the others</button>`}
      </div>
      <p class="quiet">Where you are signed in. End what you do not know, and change your password.</p>
      <p role="alert">${problem}</p>
      <p role="status" class="outcome" dir="auto">${status}</p>
      <ul class="records people-rows">
        ${list.items?.map((session) => {
          const { id, current, lastSeenAt, userAgent } = session;
          return html`
            <li key=${id}>
              <div class="who-cell"><h3><bdi>${deviceOf(userAgent)}</bdi></h3></div>
              <p class="role-cell">${current && html`<span class="tag">This session</span>`}</p>
              <p class="quiet since-cell">Last used <${Moment} at=${lastSeenAt} /></p>
              <div class="actions">
                ${
                  !current &&
                  html`<button id=${`end-${id}`} type="button" class="small danger" onClick=${() => endOne(session)}>
                    End<span class="unseen"> <bdi>${deviceOf(userAgent)}</bdi></span>
                  </button>`
                }
              </div>
            </li>
          `;
        })}
      </ul>
      <${ListEnd} list=${list} one="session" />
    </section>
  `;
}
