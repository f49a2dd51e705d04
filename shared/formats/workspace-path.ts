import { isId } from '../ids.ts';

/** Limits in bytes of UTF-8. The contract limits the path; the file systems of computers limit a segment. */
export const MAX_PATH_BYTES = 1024;
export const MAX_SEGMENT_BYTES = 255;

/** A parsed workspace path. */
export interface WorkspacePath {
  /** The whole path, with the client's id in lower case. */
  path: string;
  /** The client of the path, or null for the Team layer. It is not checked: it may not exist, or not be an id. */
  clientId: string | null;
  /** The path within its layer. */
  name: string;
}

/** Characters that Windows forbids in a name, and the backslash, which it reads as a slash. */
const FORBIDDEN = /[<>:"|?*\\]/;
const CONTROL = /\p{Cc}/u;
/**
 * Windows device names, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file. Windows
 * ignores spaces before the extension, and reads the superscript digits one to three as digits.
 */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** Characters that change the display order of the characters around them, so that one name can look like another. */
const DIRECTION_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Characters that HFS+ ignores in a name: `.g\u200cit` is `.git` there. The list is git's (CVE-2014-9390). */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** The folder of a git repository, also by its short name on Windows. Git executes files in it. */
const GIT_FOLDER = /^(?:\.git|git~1)$/i;

/** Whether Windows reserves a file name, which it then opens as a device. */
export const isDeviceName = (name: string) => DEVICE.test(name);

/** The fault of one segment of a path, or null. */
function segmentFault(segment: string): string | null {
  if (segment === '') return 'must not have an empty segment';
  if (segment === '.' || segment === '..') return 'must not have a segment . or ..';
  if (segment.endsWith('.') || segment.endsWith(' '))
    return 'must not have a segment that ends with . or a space';
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
    return `must not have a segment of more than ${MAX_SEGMENT_BYTES} bytes`;
  if (isDeviceName(segment)) return 'must not have a segment that Windows reserves';
  if (GIT_FOLDER.test(segment.replaceAll(IGNORED_BY_HFS, ''))) return 'must not have a segment .git';
  return null;
}

/** The fault of a whole path, or null. */
function pathFault(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) return `must be at most ${MAX_PATH_BYTES} bytes`;
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  if (CONTROL.test(text)) return 'must not contain a control character';
  if (FORBIDDEN.test(text)) return 'must not contain any of < > : " | ? * \\';
  if (text.normalize('NFC') !== text) return 'must be in Unicode’s composed form (NFC)';
  for (const segment of text.split('/')) {
    const fault = segmentFault(segment);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Parses a path: `team/<path>` or `clients/<clientId>/<path>`. Does not check the client, so the result does not
 * depend on the caller; checking the scope finds a client that does not exist.
 * @returns the path, or its fault as a sentence without a subject
 */
export function parseWorkspacePath(text: string): WorkspacePath | string {
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
 * Parses the path of a file to write. Stricter than `parseWorkspacePath`: files that were written before these
 * characters were refused can still be pulled and deleted.
 * @returns the path, or its fault as a sentence without a subject
 */
export function parseNewPath(text: string): WorkspacePath | string {
  const read = parseWorkspacePath(text);
  if (typeof read === 'string' || !DIRECTION_CONTROL.test(text)) return read;
  return 'must not contain a character that changes the direction of text (U+061C, U+200E, U+200F, U+202A–E, U+2066–9)';
}

/** The workspace path of a file in a layer. */
export function workspacePath(clientId: string | null, name: string): string {
  return `${layerPrefix(clientId)}/${name}`;
}

/** The beginning of the paths of a layer: `team` or `clients/<id>`. */
export function layerPrefix(clientId: string | null): string {
  return clientId === null ? 'team' : `clients/${clientId}`;
}

/**
 * Two paths that differ only in case have the same result. This is Unicode's full case folding, by way of upper case.
 * It does not fold the dotless ı into i, although both have the same upper case.
 */
export function foldCase(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/[^ı]+/g, (part) => part.toUpperCase())
    .normalize('NFC');
}

/** The form in which names are compared: without case, and sorted so that the files in a folder follow the folder. */
export function foldPath(name: string): string {
  return foldCase(name).replaceAll('/', '\u0001');
}
