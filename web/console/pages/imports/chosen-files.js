import { IMPORT_FORMATS } from '../../parts/imported-files.js';
import { count, size } from '../../parts/words.js';

/**
 * A file that the user has chosen.
 * @typedef {{ name: string, file: File }} Chosen `name` is its path within the folder that was chosen
 */

/** The extensions of all files that the service can read. */
export const EXTENSIONS = IMPORT_FORMATS.flatMap(({ extensions }) => extensions);
const FORMATS = IMPORT_FORMATS.map(({ label }) => label).join(', ');

/** How an older format of an Office program is saved in one that can be imported. */
const NEWER = new Map([
  ['doc', 'DOCX'],
  ['xls', 'XLSX'],
  ['ppt', 'PPTX'],
]);

const MIB = 1024 * 1024;
/** The largest request of the service, and what is left in it for all but the files. */
const REQUEST_BYTES = 32 * MIB;
const ENVELOPE_BYTES = 16 * 1024;
/** A file is sent as base64, which is a third longer. */
export const MAX_FILE_BYTES = Math.floor(((REQUEST_BYTES - ENVELOPE_BYTES) / 4) * 3);
const MAX_NAME_LENGTH = 300;

/** Requests stay small, so that each file shows its progress soon. A single file can be larger. */
const BATCH_BYTES = 2 * MIB;
const BATCH_FILES = 50;

/**
 * Why a file cannot be imported, and what to do; null if it can be sent.
 * @param {Chosen} chosen
 * @returns {string | null}
 */
export function faultOf({ name, file }) {
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase();
  const newer = NEWER.get(extension ?? '');
  if (newer !== undefined) return `Files of type .${extension} cannot be imported. Save it as ${newer}.`;
  if (extension === undefined || !EXTENSIONS.includes(extension)) {
    const type = extension === undefined ? 'without an extension' : `of type .${extension}`;
    return `Files ${type} cannot be imported. The formats are ${FORMATS}.`;
  }
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MAX_FILE_BYTES) {
    return `The file has ${size(file.size)}. The largest that can be imported has ${size(MAX_FILE_BYTES)}: divide it.`;
  }
  const length = Array.from(name).length;
  if (length > MAX_NAME_LENGTH) {
    return `The name has ${count(length, 'character')}. Give it a name of at most ${MAX_NAME_LENGTH}, folders included.`;
  }
  return null;
}

/**
 * How many of these files are sent in the next request.
 * @param {readonly Chosen[]} files
 */
export function batchLength(files) {
  let bytes = 0;
  const full = files.findIndex(({ file }, index) => {
    bytes += (file.size / 3) * 4;
    return index === BATCH_FILES || (index > 0 && bytes > BATCH_BYTES);
  });
  return full === -1 ? files.length : full;
}

/**
 * Reads a file.
 * @param {File} file
 * @returns {Promise<{ contentBase64: string, sha256: string | null }>} `sha256` is null where the browser makes none:
 *   at addresses without https
 */
export async function readContent(file) {
  const contentBase64 = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/, '') : '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  if (globalThis.crypto.subtle === undefined) return { contentBase64, sha256: null };
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { contentBase64, sha256 };
}

/**
 * The files of a field. Those of a folder are named by their path within it, as the terminal client names them, and
 * without hidden ones.
 * @param {Iterable<File>} files
 * @returns {Chosen[]}
 */
export function chosenIn(files) {
  return Array.from(files, (file) => ({
    name: (file.webkitRelativePath || file.name).replace(/^[^/]*\/(?=.)/, '').normalize('NFC'),
    file,
    path: file.webkitRelativePath,
  }))
    .filter(({ path }) => path === '' || !isHidden(path.split('/').slice(1)))
    .map(({ name, file }) => ({ name, file }));
}

/** @param {readonly string[]} path */
const isHidden = (path) => path.some((part) => part.startsWith('.') || part === 'node_modules');

/**
 * The files and folders that were dropped. Call it in the event: afterwards the browser has forgotten them.
 * @param {DataTransfer} transfer
 * @returns {Promise<Chosen[]>}
 */
export async function droppedIn(transfer) {
  const files = Array.from(transfer.files);
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return chosenIn(files);
  const found = await Promise.all(
    entries.filter((entry) => entry !== null).map((entry) => filesOf(entry, '')),
  );
  return found.flat();
}

/**
 * The files of an entry, at any depth.
 * @param {FileSystemEntry} entry
 * @param {string} prefix of the path within the dropped folder
 * @returns {Promise<Chosen[]>}
 */
async function filesOf(entry, prefix) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    return [{ name: (prefix + entry.name).normalize('NFC'), file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Chosen[]} */
  const found = [];
  for (;;) {
    // The entries come in parts, until there is an empty one.
    /** @type {FileSystemEntry[]} */
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const inner of part) {
      if (isHidden([inner.name])) continue;
      found.push(...(await filesOf(inner, inner.isFile ? prefix : `${prefix}${inner.name}/`)));
    }
  }
}
