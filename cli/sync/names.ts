import { posix } from 'node:path';
import {
  foldCase,
  MAX_PATH_BYTES,
  MAX_SEGMENT_BYTES,
  parseWorkspacePath,
} from '../../shared/formats/workspace-path.ts';
import { isId } from '../../shared/ids.ts';
import { isInstalled } from '../import/records.ts';

/** The folders at the top of the workspace. */
const ROOTS = ['team', 'clients'];

/** The folder of the layer that a workspace path belongs to: `team` or `clients/<id>`. */
export function layerFolderOf(path: string): string {
  const [root = '', client = ''] = path.split('/', 2);
  return root === 'team' ? root : `${root}/${client}`;
}

/** The folders above a path, the innermost first: `a/b` and `a` for `a/b/c`. */
export function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    above.push(path.slice(0, at));
  return above;
}

/** Whether a path is left out on both sides: a segment of it is hidden or `node_modules`, in any case. */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.') || isInstalled(segment));
}

/**
 * The root whose name is used by something else. The files of that root must then not count as deleted. Returns `team`
 * for `Team/a.txt`, because on a case-insensitive disk both are the same folder, and for a plain file `team`. Returns
 * null for all other names, including those within a root.
 */
export function mistakenRoot(name: string): string | null {
  const [first = '', ...rest] = name.split('/');
  const meant = ROOTS.find((root) => foldCase(root) === foldCase(first));
  return meant === undefined || (meant === first && rest.length > 0) ? null : meant;
}

/** The workspace path of a local name: the client's id is in lower case. */
export function workspaceName(name: string): string {
  const [root, client = '', ...rest] = name.split('/');
  return root === 'clients' && isId(client) ? [root, client.toLowerCase(), ...rest].join('/') : name;
}

/** Cuts a text off so that it has at most this many bytes in UTF-8. Characters stay whole. */
function cut(text: string, bytes: number): string {
  let short = '';
  for (const character of text) {
    if (Buffer.byteLength(short + character) > bytes) break;
    short += character;
  }
  return short;
}

/** A person's name in a form that is valid in a file name, of at most 60 bytes. */
function nameable(author: string): string {
  const allowed = author
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}<>:"|?*\\/]+/gu, ' ')
    .replaceAll(/\s+/g, ' ');
  return cut(allowed.trim(), 60).trim() || 'someone';
}

/** The end of the year 9999. Later times, which a file system can report, are not times of an edit. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A time in UTC, in a form that is valid in a file name: `2026-11-21 204500`. */
function stamp(modified: number): string {
  return new Date(Math.min(Math.max(modified, 0), LAST_TIME))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replaceAll(':', '');
}

/**
 * The path for the local content of a conflict: `<stem> (conflict <author> <time>)<extension>` in the same folder,
 * shortened if it would be too long.
 * @param modified when the content was written, in milliseconds since 1970
 * @param isTaken whether a path is in use; then another one is tried
 */
export function conflictPath(
  path: string,
  author: string,
  modified: number,
  isTaken: (path: string) => boolean,
): string {
  const { dir, name, ext } = posix.parse(path);
  // `posix.parse` can return a very long extension. Then it is treated as a part of the name.
  const extension = Buffer.byteLength(ext) > 40 ? '' : ext;
  const stem = extension === ext ? name : name + ext;
  for (let count = 1; ; count += 1) {
    const mark = ` (conflict ${nameable(author)} ${stamp(modified)}${count === 1 ? '' : ` ${count}`})`;
    const room = Math.min(MAX_SEGMENT_BYTES, MAX_PATH_BYTES - Buffer.byteLength(dir) - 1);
    const short = cut(stem, room - Buffer.byteLength(mark + extension)).trimEnd();
    const found = `${dir}/${short}${mark}${extension}`.normalize('NFC');
    if (typeof parseWorkspacePath(found) === 'string') {
      // The path of the folder is too long for the name, so the file is saved in the folder of its layer.
      if (dir !== layerFolderOf(path))
        return conflictPath(`${layerFolderOf(path)}/${name}${ext}`, author, modified, isTaken);
    } else if (!isTaken(found)) {
      return found;
    }
  }
}
