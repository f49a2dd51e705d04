import { posix } from 'node:path';
import {
  foldCase,
  MAX_PATH_BYTES,
  MAX_SEGMENT_BYTES,
  readWorkspacePath,
} from '../../../shared/formats/workspace-path.ts';
import { isId } from '../../../shared/ids.ts';

/** The roots of the workspace, as folders. */
const ROOTS = ['team', 'clients'];

/** The scope that a path of the workspace lies in: `team` or `clients/<id>`. */
export function scopeOf(path: string): string {
  const [root = '', client = ''] = path.split('/', 2);
  return root === 'team' ? root : `${root}/${client}`;
}

/** The folders above a path, from the innermost on: `a/b` and `a` for `a/b/c`. */
export function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    above.push(path.slice(0, at));
  return above;
}

/** Whether a path is left out on both sides: one that is hidden or installed, or lies in such a folder. */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.') || segment === 'node_modules');
}

/**
 * The root whose place something else has, so that what the root held does not count as gone. That is `team`
 * for `Team/a.txt`, as both are one folder where case does not count, and for a plain file `team`. Null for all other
 * names, also those within a root.
 */
export function mistakenRoot(name: string): string | null {
  const [first = '', ...rest] = name.split('/');
  const meant = ROOTS.find((root) => foldCase(root) === foldCase(first));
  return meant === undefined || (meant === first && rest.length > 0) ? null : meant;
}

/** A name here as paths on the wire have it: a client's id is in lower case there. */
export function wireName(name: string): string {
  const [root, client = '', ...rest] = name.split('/');
  return root === 'clients' && isId(client) ? [root, client.toLowerCase(), ...rest].join('/') : name;
}

/** A text cut off at the end so that it has at most so many bytes of UTF-8, by whole characters. */
function cut(text: string, bytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}

/** A person's name as it may stand in a file's name, and no longer than leaves room for that. */
function nameable(author: string): string {
  const allowed = author
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}<>:"|?*\\/]+/gu, ' ')
    .replaceAll(/\s+/g, ' ');
  return cut(allowed.trim(), 60).trim() || 'someone';
}

/** The last moment of a year of four digits: what a file system tells beyond it is no time of an edit. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A time in UTC, as it may stand in a file's name: `2026-11-21 204500`. */
function stamp(modified: number): string {
  return new Date(Math.min(Math.max(modified, 0), LAST_TIME))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replaceAll(':', '');
}

/**
 * Where the content of a person is kept that conflicts with another's at `path`:
 * `<stem> (conflict <author> <time>)<extension>` beside it, shortened where it would be too long.
 * @param modified when the content was written, in milliseconds since 1970
 * @param isTaken whether a path is in use; another is tried then
 */
export function conflictPath(
  path: string,
  author: string,
  modified: number,
  isTaken: (path: string) => boolean,
): string {
  const { dir, name, ext } = posix.parse(path);
  // What is called an extension may be as long as a name.
  const extension = Buffer.byteLength(ext) > 40 ? '' : ext;
  const stem = extension === ext ? name : name + ext;
  for (let count = 1; ; count += 1) {
    const mark = ` (conflict ${nameable(author)} ${stamp(modified)}${count === 1 ? '' : ` ${count}`})`;
    const room = Math.min(MAX_SEGMENT_BYTES, MAX_PATH_BYTES - Buffer.byteLength(dir) - 1);
    const short = cut(stem, room - Buffer.byteLength(mark + extension)).trimEnd();
    const found = `${dir}/${short}${mark}${extension}`.normalize('NFC');
    if (typeof readWorkspacePath(found) === 'string') {
      // So deep a folder has no room for the name: it goes to the top of its scope.
      if (dir !== scopeOf(path))
        return conflictPath(`${scopeOf(path)}/${name}${ext}`, author, modified, isTaken);
    } else if (!isTaken(found)) {
      return found;
    }
  }
}
