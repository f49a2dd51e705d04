import { html, useLayoutEffect, useMemo, useRef } from '../../html.js';
import { withQuery } from '../../parts/ask.js';
import { Missing, useRecord } from '../../parts/record.js';
import { Moment, size } from '../../parts/words.js';
import { conflictCopy, copiesByOriginal, folderOf, layerOf, nameOf, shownPath, sorted } from './shape.js';
import { Person } from './tree.js';
import { useVersions, Versions } from './versions.js';

/**
 * @typedef {import('./shape.js').File} File
 * @typedef {import('../../../../shared/schemas/workspace.ts').FileVersion} Version
 */

/** @type {Readonly<Record<File['indexed'], string>>} */
const SEARCH_WORDS = {
  yes: 'Searches find its text.',
  pending:
    'A worker will read it soon. Searches find the text of an earlier version until then, if there is one.',
  failed:
    'It cannot be read, so searches do not find it. It can be damaged or have no text: sync a version that can be read.',
  no: 'Searches do not find it: its format cannot be read, it is empty, or the service does not index files.',
};

/** The longest text that a list of sources is filtered by. */
const MAX_FILTER = 300;

/**
 * The file that the user chose: what is known of it, its conflict copies and its versions.
 * @param {object} props
 * @param {string} props.path
 * @param {File | null} props.file null: it is not among those that were read
 * @param {readonly File[]} props.live
 * @param {import('../../section.d.ts').PageProps} props.page
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {import('./shape.js').Known} props.known
 */
export function ChosenFile({ path, file, live, page, ask, known }) {
  const { versions, missing } = useVersions(ask, path, file?.version ?? null);
  const newest = versions.items?.[0];
  const current = file !== null && file.version >= (newest?.version ?? 0) ? file : newest;
  if (missing && (file === null || file.deleted)) {
    return html`<div class="one-file">
      <h2 id="file-heading" class="unseen" tabindex="-1">Not found</h2>
      <${Missing} what="file" href=${known.hrefOf(null)} link="Back to all files" />
    </div>`;
  }
  return html`
    <section class="card one-file" aria-labelledby="file-heading">
      <p class="files-back"><a href=${known.hrefOf(null)}>Back to all files</a></p>
      <h2 id="file-heading" tabindex="-1"><bdi>${nameOf(path)}</bdi></h2>
      <p class="quiet">in <bdi>${shownPath(folderOf(path), known.clients)}</bdi></p>
      ${current !== undefined && html`<${Facts} current=${current} file=${file} page=${page} ask=${ask} known=${known} />`}
      <${Conflicts} path=${path} live=${live} known=${known} />
      <${Versions} list=${versions} path=${path} current=${current ?? null} ask=${ask} known=${known} />
    </section>
  `;
}

/**
 * @param {object} props
 * @param {Version} props.current
 * @param {File | null} props.file
 * @param {import('../../section.d.ts').PageProps} props.page
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {import('./shape.js').Known} props.known
 */
function Facts({ current, file, page, ask, known }) {
  const { path, deleted, bytes, version, updatedAt, updatedBy } = current;
  const indexed = file?.indexed;
  const isFound = !deleted && (indexed === 'yes' || indexed === 'pending');
  const source = useSource(ask, path, isFound ? `${indexed} ${version}` : null);
  return html`
    <dl class="named">
      <dt>Path</dt>
      <dd><code><bdi>${path}</bdi></code></dd>
      ${!deleted && html`<dt>Size</dt><dd>${size(bytes)}</dd>`}
      <dt>Version</dt>
      <dd>${version}</dd>
      <dt>${deleted ? 'Deleted' : 'Changed'}</dt>
      <dd><${Moment} at=${updatedAt} />${known.people !== null && html` by <${Person} id=${updatedBy} known=${known} />`}</dd>
      ${
        !deleted &&
        indexed !== undefined &&
        html`<dt>Search</dt>
          <dd>
            ${SEARCH_WORDS[indexed]}
            ${source !== null && html`${' '}<a href=${page.link(`/sources/${source}`)}>Open its source</a>`}
          </dd>`
      }
    </dl>
  `;
}

/**
 * The id of the source that has the text of a file, or null.
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {string} path
 * @param {string | null} state is changed when it must be read again; null: it has no source
 */
function useSource(ask, path, state) {
  const layer = layerOf(path);
  const q = path.slice(-MAX_FILTER).replace(/^[\uDC00-\uDFFF]/, '');
  const filter = {
    kind: 'file',
    state: 'active',
    limit: 200,
    clientId: layer === 'team' ? null : nameOf(layer),
    q,
  };
  const { value, reload } = useRecord(ask, state === null ? null : withQuery('memory/sources', filter));
  const first = useRef(state);
  useLayoutEffect(() => {
    if (state !== null && state !== first.current) void reload();
    first.current = state;
  }, [state]);
  /** @type {readonly { id: string, uri: string | null }[]} */
  const items = /** @type {any} */ (value)?.items ?? [];
  return items.find(({ uri }) => uri === path)?.id ?? null;
}

/**
 * What a conflict copy is, and what to do with it; on the page of the copy and of the file.
 * @param {object} props
 * @param {string} props.path
 * @param {readonly File[]} props.live
 * @param {import('./shape.js').Known} props.known
 */
function Conflicts({ path, live, known }) {
  const copies = useMemo(() => sorted(copiesByOriginal(live).get(path) ?? []), [live, path]);
  const copy = conflictCopy(path);
  const original = copy === null ? undefined : live.find((file) => file.path === copy.original);
  if (copy === null && copies.length === 0) return null;
  return html`
    <section class="conflicts" aria-labelledby="conflicts-heading">
      <h3 id="conflicts-heading">${copy === null ? 'Conflict copies' : 'This is a conflict copy'}</h3>
      ${
        copy === null
          ? html`<p>Others changed this file at the same time. What they wrote is kept in${' '}
              ${copies.length === 1 ? 'a copy' : 'copies'} next to it:</p>
              <ul>
                ${copies.map(({ path: other }) => {
                  const { author = '', at = '' } = conflictCopy(other) ?? {};
                  return html`<li key=${other}><a href=${known.hrefOf(other)}>Copy of <bdi>${author}</bdi>, <${Moment} at=${at} /></a></li>`;
                })}
              </ul>`
          : html`<p>
              <bdi>${copy.author}</bdi> wrote it on <${Moment} at=${copy.at} />, while someone else changed${' '}
              ${
                original === undefined
                  ? html`<bdi>${nameOf(copy.original)}</bdi>, which no longer exists.`
                  : html`<a href=${known.hrefOf(original.path)}><bdi>${nameOf(original.path)}</bdi></a>.`
              }
            </p>`
      }
      ${
        known.canWrite &&
        html`<p class="quiet">
          ${
            copy !== null && original === undefined
              ? 'In your folder, rename the copy or delete it. Then sync.'
              : 'In your folder, merge the texts by hand into the file, and delete the copy. Then sync.'
          }
        </p>`
      }
    </section>
  `;
}
