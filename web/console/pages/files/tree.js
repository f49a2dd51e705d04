import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { count, Moment, size } from '../../parts/words.js';
import {
  conflictCopy,
  copiesByOriginal,
  folderOf,
  foldersAbove,
  folderTree,
  layerName,
  nameOf,
  shownPath,
  sorted,
} from './shape.js';

/**
 * @typedef {import('./shape.js').File} File
 * @typedef {import('./shape.js').Folder} Folder
 * @typedef {import('./shape.js').Known} Known
 */

/** The most rows that are added at once. */
const ROWS = 200;

/** What is said of a file that searches do not find. */
const NOT_FOUND_WORDS = {
  pending: 'not searchable yet',
  failed: 'cannot be read by searches',
  no: 'not searched',
};

/**
 * The folders of each layer, with the files in those that are open. A closed folder renders no rows.
 * @param {object} props
 * @param {readonly File[]} props.files
 * @param {string | null} props.chosen the path of the file that is shown
 * @param {Known} props.known
 */
export function Tree({ files, chosen, known }) {
  const layers = useMemo(() => folderTree(files), [files]);
  const copies = useMemo(() => copiesByOriginal(files), [files]);
  const [toggled, setToggled] = useState(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));
  useLayoutEffect(() => {
    if (chosen === null) return;
    setToggled(
      (before) =>
        new Map([...before, ...foldersAbove(chosen).map((path) => /** @type {const} */ ([path, true]))]),
    );
  }, [chosen]);

  const first = layers[0]?.path;
  /** @param {string} path */
  const isOpen = (path) => toggled.get(path) ?? path === first;

  /** @param {Folder} folder */
  function row(folder, name = folder.name, isLayer = false) {
    const { path } = folder;
    const open = isOpen(path);
    return html`
      <li key=${path}>
        <button
          type="button"
          class="folder"
          aria-expanded=${open ? 'true' : 'false'}
          onClick=${() => setToggled((before) => new Map([...before, [path, !open]]))}
        >
          <bdi>${name}</bdi>
          <span class="quiet">${isLayer && path !== 'team' ? 'client, ' : ''}${count(folder.count, 'file')}, ${size(folder.bytes)}</span>
        </button>
        ${
          open &&
          html`<${Rows}
            rows=${[...sorted(folder.folders.values()), ...originals(folder)]}
            show=${(/** @type {Folder | File} */ item) =>
              'folders' in item
                ? row(item)
                : html`<${Row} key=${item.path} file=${item} copies=${copies.get(item.path)} chosen=${chosen} known=${known} />`}
          />`
        }
      </li>
    `;
  }

  /** The files of a folder without the conflict copies that are shown below another. @param {Folder} folder */
  function originals({ files: inFolder }) {
    const paths = new Set(inFolder.map(({ path }) => path));
    return sorted(inFolder.filter(({ path }) => !paths.has(conflictCopy(path)?.original ?? '')));
  }

  return html`<ul class="tree">${layers.map((layer) => row(layer, layerName(layer.path, known.clients), true))}</ul>`;
}

/**
 * The files that a filter has left, with their folders.
 * @param {object} props
 * @param {readonly File[]} props.files
 * @param {string | null} props.chosen
 * @param {Known} props.known
 */
export function FoundFiles({ files, chosen, known }) {
  const rows = useMemo(() => sorted(files), [files]);
  return html`<${Rows}
    rows=${rows}
    show=${(/** @type {File} */ file) => html`<${Row} key=${file.path} file=${file} chosen=${chosen} known=${known} withFolder />`}
  />`;
}

/**
 * A list of rows; of a long one, more on request.
 * @template {{ path: string }} Item
 * @param {object} props
 * @param {readonly Item[]} props.rows
 * @param {(item: Item) => unknown} props.show
 */
function Rows({ rows, show }) {
  const [limit, setLimit] = useState(ROWS);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (limit === ROWS) return;
    const first = list.current?.children[limit - ROWS]?.querySelector('a, button');
    if (first instanceof HTMLElement) first.focus();
  }, [limit]);
  const rest = rows.length - limit;
  return html`
    <ul class="tree" ref=${list}>
      ${rows.slice(0, limit).map(show)}
      ${
        rest > 0 &&
        html`<li key=" more">
          <button type="button" class="small" onClick=${() => setLimit(limit + ROWS)}>
            Show ${Math.min(rest, ROWS).toLocaleString('en')} more of ${rest.toLocaleString('en')}
          </button>
        </li>`
      }
    </ul>
  `;
}

/**
 * A file, and below it its conflict copies.
 * @param {object} props
 * @param {File} props.file
 * @param {readonly File[]} [props.copies]
 * @param {string | null} props.chosen
 * @param {Known} props.known
 * @param {boolean} [props.withFolder] whether its folder is named
 */
function Row({ file, copies = [], chosen, known, withFolder = false }) {
  const { path, bytes, deleted, indexed, updatedAt, updatedBy } = file;
  const marks = [
    ...(conflictCopy(path) === null ? [] : ['conflict copy']),
    ...(deleted ? ['deleted'] : indexed === 'yes' ? [] : [NOT_FOUND_WORDS[indexed]]),
  ];
  return html`
    <li>
      <div class="file" aria-current=${path === chosen ? 'true' : undefined}>
        <a href=${known.hrefOf(path)} data-path=${path} aria-current=${path === chosen ? 'true' : undefined}>
          <bdi>${nameOf(path)}</bdi>
        </a>
        <ul class="facts">
          ${withFolder && html`<li>in <bdi>${shownPath(folderOf(path), known.clients)}</bdi></li>`}
          ${marks.map((mark) => html`<li key=${mark} class="tag">${mark}</li>`)}
          ${!deleted && html`<li class="file-size">${size(bytes)}</li>`}
          <li class="file-time"><${Moment} at=${updatedAt} /></li>
          ${known.people !== null && html`<li class="file-person"><${Person} id=${updatedBy} known=${known} /></li>`}
        </ul>
      </div>
      ${
        copies.length > 0 &&
        html`<ul class="tree">
          ${sorted(copies).map((copy) => html`<${Row} key=${copy.path} file=${copy} chosen=${chosen} known=${known} />`)}
        </ul>`
      }
    </li>
  `;
}

/**
 * Who changed a file.
 * @param {object} props
 * @param {string} props.id
 * @param {Pick<Known, 'people'>} props.known
 */
export function Person({ id, known: { people } }) {
  // Nothing is said of a person until the names are there.
  if (people === null) return '';
  const name = people.get(id);
  return name === undefined ? 'someone outside the Team' : html`<bdi>${name}</bdi>`;
}
