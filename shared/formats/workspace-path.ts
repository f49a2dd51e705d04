import { isId } from '../ids.ts';

/** Bounds in bytes of UTF-8: of a whole path by the contract, of one segment by the file systems that it goes to. */
export const MAX_PATH_BYTES = 1024;
export const MAX_SEGMENT_BYTES = 255;

/** A path of the workspace, taken apart. */
export interface WorkspacePath {
  /** The whole path in its one form: the client's id in lower case. */
  path: string;
  /** The client named, or null for the Team layer. It may be one that does not exist, or no id at all. */
  clientId: string | null;
  /** The path within its layer. */
  name: string;
}

/** What Windows forbids in a name, and the backslash, which it takes for a slash. */
const FORBIDDEN = /[<>:"|?*\\]/;
const CONTROL = /\p{Cc}/u;
/**
 * Devices of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file. It drops
 * blanks before the extension, and counts the superscript digits one to three as digits.
 */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** They turn the order in which the characters around them are shown, so that a name can look like another. */
const DIRECTION_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** What HFS+ leaves out of a name, so that `.g\u200cit` is `.git` there (git's own list: CVE-2014-9390). */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** The folder of a git repository, also by its short name on Windows: what lies in it is run by git. */
const GIT_FOLDER = /^(?:\.git|git~1)$/i;

/** What is wrong with one segment of a path, or null. */
function segmentFault(segment: string): string | null {
  if (segment === '') return 'must not have an empty segment';
  if (segment === '.' || segment === '..') return 'must not have a segment . or ..';
  if (segment.endsWith('.') || segment.endsWith(' '))
    return 'must not have a segment that ends with . or a blank';
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
    return `must not have a segment of more than ${MAX_SEGMENT_BYTES} bytes`;
  if (DEVICE.test(segment)) return 'must not have a segment that Windows reserves';
  if (GIT_FOLDER.test(segment.replaceAll(IGNORED_BY_HFS, ''))) return 'must not have a segment .git';
  return null;
}

/** What is wrong with the form of a whole path, or null. */
function pathFault(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) return `must be at most ${MAX_PATH_BYTES} bytes`;
  if (!text.isWellFormed()) return 'must not hold a lone surrogate';
  if (CONTROL.test(text)) return 'must not hold a control character';
  if (FORBIDDEN.test(text)) return 'must not hold any of < > : " | ? * \\';
  if (text.normalize('NFC') !== text) return 'must be in Unicode’s composed form (NFC)';
  for (const segment of text.split('/')) {
    const fault = segmentFault(segment);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Reads a path: `team/<path>` or `clients/<clientId>/<path>`. The same for everyone: whether the client exists, and
 * whether its id is one, is for the scope to say.
 * @returns the path, or what is wrong with it, as a sentence without its subject
 */
export function readWorkspacePath(text: string): WorkspacePath | string {
  const fault = pathFault(text);
  if (fault !== null) return fault;
  const [root, ...rest] = text.split('/');
  if (root === 'team' && rest.length > 0) return { path: text, clientId: null, name: rest.join('/') };
  const [client, ...name] = rest;
  if (root !== 'clients' || client === undefined || name.length === 0) {
    return 'must begin with team/ or clients/<clientId>/ and name a file there';
  }
  const clientId = isId(client) ? client.toLowerCase() : client;
  return { path: ['clients', clientId, ...name].join('/'), clientId, name: name.join('/') };
}

/**
 * Reads a path at which content is written. Files that were written before this was refused can be pulled and deleted.
 * @returns the path, or what is wrong with it, as a sentence without its subject
 */
export function readWrittenPath(text: string): WorkspacePath | string {
  const read = readWorkspacePath(text);
  if (typeof read === 'string' || !DIRECTION_CONTROL.test(text)) return read;
  return 'must not hold a character that turns the direction of text (U+061C, U+200E, U+200F, U+202A–E, U+2066–9)';
}

/** A path as it goes over the wire, of a file in a layer. */
export function workspacePath(clientId: string | null, name: string): string {
  return `${layerPrefix(clientId)}/${name}`;
}

/** The scope that a layer is in the workspace: `team` or `clients/<id>`. */
export function layerPrefix(clientId: string | null): string {
  return clientId === null ? 'team' : `clients/${clientId}`;
}

/**
 * What two paths have in common that differ only in case: Unicode's full case folding, by way of upper case. The
 * dotless ı has no partner there but itself, though its upper case is that of i.
 */
export function foldCase(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/[^ı]+/g, (part) => part.toUpperCase())
    .normalize('NFC');
}

/** A path as names are compared: without case, and in an order in which what lies in a folder comes right behind it. */
export function foldPath(name: string): string {
  return foldCase(name).replaceAll('/', '\u0001');
}
