import { html, useLayoutEffect, useRef } from '../../html.js';
import { unreadLine } from '../../parts/imported-files.js';
import { ListEnd } from '../../parts/list.js';
import { count, Moment, size } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/imports.ts').Import} Import
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 *
 * What the rows need of the page.
 * @typedef {object} Rows
 * @property {import('../../section.d.ts').PageProps['link']} link
 * @property {string} user the id of the user
 * @property {readonly Client[]} clients
 * @property {(item: Import) => boolean} canDecide whether the user can retry and forget an import
 * @property {(item: Import) => boolean} isDeciding whether a decision on it is on its way
 * @property {(item: Import) => void} retry
 * @property {(item: Import) => void} forget asks first
 * @property {(item: Import) => void} cancel
 */

/** What the states are called, in the order in which they are reached. @type {Readonly<Record<Import['state'], string>>} */
export const STATES = {
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};
/** The stages of a run, in order. */
const STAGES = { reading: 'Reading', cutting: 'Cutting into passages', storing: 'Storing' };

/** @param {Import} item */
export const isActive = ({ state }) => state === 'queued' || state === 'running';

/**
 * Keeps the focus in a list. If what has the focus disappears, its row gets the focus, else the row in its place, else
 * the heading.
 * @param {string} headingId
 * @returns {import('preact').RefObject<any>} for the list
 */
export function useRowFocus(headingId) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const last = useRef(/** @type {{ row: string | undefined, index: number } | null} */ (null));
  const rows = () => Array.from(list.current?.querySelectorAll('li[data-row]') ?? []);

  /** @param {EventTarget | null} target */
  function note(target) {
    if (!(target instanceof Element) || target.closest('dialog') !== null) return;
    const row = target.closest('a, button, h3') === null ? null : target.closest('li[data-row]');
    const index = row === null ? -1 : rows().indexOf(row);
    last.current = row instanceof HTMLElement && index >= 0 ? { row: row.dataset['row'], index } : null;
  }

  useLayoutEffect(() => {
    const listener = (/** @type {Event} */ { target }) => note(target);
    document.addEventListener('focusin', listener);
    document.addEventListener('pointerdown', listener);
    return () => {
      document.removeEventListener('focusin', listener);
      document.removeEventListener('pointerdown', listener);
    };
  }, []);
  useLayoutEffect(() => {
    if (last.current === null) return;
    if (document.activeElement !== document.body) return note(document.activeElement);
    const { row, index } = last.current;
    const shown = rows();
    const same = shown.find((one) => one instanceof HTMLElement && one.dataset['row'] === row);
    const next = same ?? shown[Math.min(index, shown.length - 1)];
    const target = next?.querySelector('h3') ?? document.getElementById(headingId);
    if (target instanceof HTMLElement) target.focus();
  });
  return list;
}

/** @param {{ state: string, children: import('../../html.js').Children }} props */
export const State = ({ state, children }) =>
  html`<span class="tag imports-state" data-state=${state}>${children}</span>`;

/**
 * A button of a row. Its name contains that of the file.
 * @param {{ word: string, name: string, act: () => void, danger?: boolean, busy?: boolean }} props
 */
export const RowButton = ({ word, name, act, danger = false, busy = false }) => html`
  <button type="button" class=${danger ? 'small danger' : 'small'} aria-busy=${busy ? 'true' : undefined} onClick=${() => !busy && act()}>
    ${word}<span class="unseen"> <bdi>${name}</bdi></span>
  </button>
`;

/**
 * How far an import is, or why it failed and what can be done.
 * @param {{ item: Import, link: Rows['link'] }} props
 */
export function Outcome({ item, link }) {
  const {
    state,
    error,
    progress,
    filename,
    payloadPrunedAt,
    sameAs,
    unread,
    encoding,
    redactions = [],
  } = item;
  if (state === 'running') {
    const stages = Object.keys(STAGES);
    const place = progress === null ? -1 : stages.indexOf(progress.stage);
    const percent = progress?.percent ?? 0;
    const words =
      progress === null || place < 0
        ? 'Starting'
        : `${STAGES[progress.stage]}, ${percent} % · step ${place + 1} of ${stages.length}`;
    return html`
      <progress aria-label=${`Progress of ${filename}`} max=${stages.length} value=${place < 0 ? 0 : place + percent / 100}></progress>
      <p class="quiet imports-stage">${words}</p>
    `;
  }
  if (state === 'failed') {
    return html`
      <p class="imports-reason">
        <bdi>${error === null ? 'No reason is known.' : error.message}</bdi> ${error !== null && html`<code>${error.code}</code>`}
      </p>
      ${
        payloadPrunedAt !== null &&
        html`<p class="quiet">The file was deleted on <${Moment} at=${payloadPrunedAt} />: add it again to import it.</p>`
      }
    `;
  }
  if (state !== 'completed') return null;
  // The first source with the same text is among the similar ones too, unless the text is short.
  const similarSources = item.similarSources.filter(({ sourceId }) => sourceId !== sameAs?.sourceId);
  return html`
    ${
      redactions.length > 0 &&
      html`<p class="imports-note">${count(redactions.length, 'credential')} found in the file.</p>`
    }
    ${encoding !== null && html`<p class="quiet">Read as ${encoding} text.</p>`}
    ${unread.length > 0 && html`<p class="imports-note"><bdi>${unreadLine(unread)}</bdi></p>`}
    ${
      sameAs &&
      html`<p class="quiet">Same as <a href=${link(`/sources/${sameAs.sourceId}`)}><bdi>${sameAs.title}</bdi></a></p>`
    }
    ${
      similarSources.length > 0 &&
      html`<p class="quiet">
        Nearly the same text as${' '}
        ${similarSources.map(
          ({ sourceId, title }, index) =>
            html`${index > 0 && ', '}<a key=${sourceId} href=${link(`/sources/${sourceId}`)}><bdi>${title}</bdi></a>`,
        )}
      </p>`
    }
  `;
}

/**
 * The buttons for an import that the user can decide on.
 * @param {{ item: Import, rows: Rows }} props
 */
export function Decisions({ item, rows }) {
  const { filename, state, payloadPrunedAt } = item;
  if (state === 'running' || state === 'completed') return null;
  if (!rows.canDecide(item)) return null;
  return html`
    <div class="actions">
      ${
        state === 'queued' &&
        html`<${RowButton} word="Cancel" name=${filename} busy=${rows.isDeciding(item)} act=${() => rows.cancel(item)} />`
      }
      ${
        state === 'failed' &&
        payloadPrunedAt === null &&
        html`<${RowButton} word="Retry" name=${filename} busy=${rows.isDeciding(item)} act=${() => rows.retry(item)} />`
      }
      ${
        state !== 'queued' &&
        html`<${RowButton} word="Forget" name=${filename} busy=${rows.isDeciding(item)} act=${() => rows.forget(item)} danger />`
      }
    </div>
  `;
}

/** @param {{ item: Import, rows: Rows }} props */
function Row({ item, rows }) {
  const { id, filename, title, bytes, clientId, state, sourceId, attempts, createdBy, createdWith } = item;
  const client = rows.clients.find((one) => one.id === clientId);
  const name = html`<bdi>${filename}</bdi>`;
  return html`
    <li data-row=${id}>
      <div class="imports-head">
        <h3 tabindex="-1">
          ${
            state === 'completed' && sourceId !== null
              ? html`<a href=${rows.link(`/sources/${sourceId}`)}>${name}</a>`
              : name
          }
        </h3>
        <${State} state=${state}>${STATES[state]}<//>
      </div>
      <ul class="facts">
        ${title !== filename && html`<li>Title: <bdi>${title}</bdi></li>`}
        <li>${size(bytes)}</li>
        <li>${clientId === null ? 'Team layer' : client === undefined ? 'A client' : html`Client <bdi>${client.name}</bdi>`}</li>
        <li><${Moment} at=${item.createdAt} /></li>
        ${createdWith !== null && html`<li>By the agent <bdi>${createdWith.name}</bdi></li>`}
        ${createdWith === null && createdBy === rows.user && html`<li>By you</li>`}
        ${state === 'failed' && attempts > 1 && html`<li>${count(attempts, 'attempt')}</li>`}
        ${item.expiresAt !== null && html`<li>Expires <${Moment} at=${item.expiresAt} /></li>`}
      </ul>
      <${Outcome} item=${item} link=${rows.link} />
      <${Decisions} item=${item} rows=${rows} />
    </li>
  `;
}

/**
 * The imports of the Team.
 * @param {object} props
 * @param {import('../../parts/list.js').List<Import>} props.list
 * @param {Rows} props.rows
 * @param {import('../../html.js').Children} props.empty is shown in place of an empty list
 */
export function ImportList({ list, rows, empty }) {
  const focus = useRowFocus('imports-heading');
  const { items } = list;
  return html`
    ${items?.length === 0 && empty}
    <ul class="records" ref=${focus}>
      ${items?.map((item) => html`<${Row} key=${item.id} item=${item} rows=${rows} />`)}
    </ul>
    <${ListEnd} list=${list} one="import" />
  `;
}
