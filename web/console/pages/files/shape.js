/**
 * @typedef {import('../../../../shared/schemas/workspace.ts').ManifestItem} File
 * @typedef {{ name: string, path: string, folders: Map<string, Folder>, files: File[], count: number, bytes: number }} Folder
 * @typedef {{ author: string, at: string, original: string }} Copy a conflict copy: whose it is, from when, and the path
 *   of the file that it is a copy of
 *
 * What the rows and the chosen file need to know.
 * @typedef {object} Known
 * @property {ReadonlyMap<string, string> | null} people names by id; null until they are read
 * @property {ReadonlyMap<string, string>} clients names by id
 * @property {(path: string | null) => string} hrefOf the link that shows a file; null: none
 * @property {boolean} canWrite whether the user can change files somewhere in the Team
 */

const IN_ORDER = new Intl.Collator('en', { numeric: true });

/**
 * Sorts by name, as people do.
 * @template {{ path: string }} Item
 * @param {Iterable<Item>} items
 * @returns {Item[]}
 */
export const sorted = (items) => [...items].sort((a, b) => IN_ORDER.compare(a.path, b.path));

/** The last segment of a path. */
export const nameOf = (/** @type {string} */ path) => path.slice(path.lastIndexOf('/') + 1);

/** The folder of a path. */
export const folderOf = (/** @type {string} */ path) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** The folder of the layer of a path: `team`, or `clients/<id>`. */
export function layerOf(/** @type {string} */ path) {
  const [root = '', client = ''] = path.split('/', 2);
  return root === 'clients' ? `${root}/${client}` : root;
}

/**
 * The path as people know it: with the name of the client in place of its id.
 * @param {string} path
 * @param {ReadonlyMap<string, string>} clients their names by id
 */
export function shownPath(path, clients) {
  const layer = layerOf(path);
  return layerName(layer, clients) + path.slice(layer.length);
}

/**
 * @param {string} layer
 * @param {ReadonlyMap<string, string>} clients
 */
export const layerName = (layer, clients) =>
  layer === 'team' ? 'Team' : (clients.get(nameOf(layer)) ?? 'A client');

/** The folders of a path, the outermost first. */
export function foldersAbove(/** @type {string} */ path) {
  const above = [];
  const top = layerOf(path).length;
  for (let at = path.lastIndexOf('/'); at >= top && at > 0; at = path.lastIndexOf('/', at - 1)) {
    above.unshift(path.slice(0, at));
  }
  return above;
}

/**
 * The files in their folders; at the top, those of each layer.
 * @param {Iterable<File>} files
 * @returns {Folder[]}
 */
export function folderTree(files) {
  /** @type {Map<string, Folder>} */
  const layers = new Map();
  for (const file of files) {
    let at = folderIn(layers, layerOf(file.path));
    const folders = [at];
    for (const path of foldersAbove(file.path).slice(1)) {
      at = folderIn(at.folders, path);
      folders.push(at);
    }
    at.files.push(file);
    for (const folder of folders) {
      folder.count += 1;
      folder.bytes += file.bytes;
    }
  }
  // The Team comes first.
  return [...layers.values()].sort((a, b) => Number(b.path === 'team') - Number(a.path === 'team'));
}

/**
 * @param {Map<string, Folder>} folders
 * @param {string} path
 */
function folderIn(folders, path) {
  const found = folders.get(path);
  if (found !== undefined) return found;
  /** @type {Folder} */
  const made = { name: nameOf(path), path, folders: new Map(), files: [], count: 0, bytes: 0 };
  folders.set(path, made);
  return made;
}

/** As the terminal client names the local content of a conflict. */
const COPY =
  /^(?<stem>.*) \(conflict (?<author>.+) (?<day>\d{4}-\d\d-\d\d) (?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?: \d+)?\)(?<extension>\.[^.]*)?$/su;

/**
 * What a file is a conflict copy of; null if it is not one.
 * @param {string} path
 * @returns {Copy | null}
 */
export function conflictCopy(path) {
  const found = COPY.exec(nameOf(path))?.groups;
  if (found === undefined) return null;
  const { stem, author = '', day, hour, minute, second, extension = '' } = found;
  const at = `${day}T${hour}:${minute}:${second}Z`;
  if (Number.isNaN(Date.parse(at))) return null;
  return { author, at, original: `${folderOf(path)}/${stem}${extension}` };
}

/**
 * The conflict copies among files, by the path of the file that they are a copy of.
 * @param {Iterable<File>} files
 */
export function copiesByOriginal(files) {
  /** @type {Map<string, File[]>} */
  const copies = new Map();
  for (const file of files) {
    const original = conflictCopy(file.path)?.original;
    if (original !== undefined) copies.set(original, [...(copies.get(original) ?? []), file]);
  }
  return copies;
}

/** What the user can choose to see. @type {Readonly<Record<string, { label: string, shows: (file: File) => boolean }>>} */
export const VIEWS = {
  conflicts: { label: 'Conflict copies', shows: ({ path }) => conflictCopy(path) !== null },
  pending: { label: 'Not searchable yet', shows: ({ indexed }) => indexed === 'pending' },
  failed: { label: 'Cannot be read by searches', shows: ({ indexed }) => indexed === 'failed' },
  no: { label: 'Not searched', shows: ({ indexed }) => indexed === 'no' },
  deleted: { label: 'Deleted files', shows: ({ deleted }) => deleted },
};

/**
 * Whether a path has all these words in it, in upper or lower case.
 * @param {string} path
 * @param {string} text
 */
export function hasWords(path, text) {
  const folded = path.toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
