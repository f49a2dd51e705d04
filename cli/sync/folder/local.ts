import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWorkspacePath, readWrittenPath } from '../../../shared/formats/workspace-path.ts';
import { isId } from '../../../shared/ids.ts';
import { MAX_FILE_BYTES } from '../../../shared/schemas/workspace.ts';
import { type FolderContent, type FolderFile, readFault, readFolder } from '../../import/folder-files.ts';
import type { Content } from '../plan.ts';
import type { NotDone } from '../report.ts';
import { look, sha256Of } from './disk.ts';
import { isLeftOut, mistakenRoot, wireName } from './names.ts';
import { type BaseFile, STATE_FOLDER } from './state.ts';

/**
 * A file changed twice within its file system's tick of time, with as many bytes, looks the same: FAT has ticks of
 * two seconds. What is as fresh as that is read again the next time.
 */
const TICK_MS = 2000;

/** A file of the folder, as it is. */
export interface LocalFile extends Content {
  /** Where it lies. Its name there may have another form than its path has on the wire. */
  at: string;
  bytes: number;
  /** When it was written, in ms since 1970. */
  modified: number;
  /** Whether that is long enough ago for the next change to show by it. */
  settled: boolean;
}

/** Paths where it is unknown or unclear what is here: nothing is done about them. */
export class Held {
  readonly #names = new Set<string>();

  /** Holds what a name here stands for on the wire, and all below it. */
  hold(name: string): void {
    this.#names.add(mistakenRoot(name) ?? wireName(name));
  }

  has(path: string): boolean {
    if (this.#names.size === 0) return false;
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (this.#names.has(path.slice(0, at))) return true;
    }
    return false;
  }
}

/** What the folder has. */
export interface LocalView {
  files: Map<string, LocalFile>;
  held: Held;
  /** What cannot be sent, and why. */
  notDone: NotDone[];
  /** Files beside `team` and `clients/<id>`. */
  outside: number;
  /** The folders of clients by their scopes, as they are written here: an id may be in capitals. */
  clientFolders: ReadonlyMap<string, string>;
  leftOut: FolderContent['leftOut'];
}

/** Whether a time is long enough ago for the next change to show by it. */
export function isSettled(modified: number): boolean {
  return Date.now() - modified > TICK_MS;
}

/** Why a file cannot be sent, whatever it holds, or null. */
function unfit({ name, bytes }: FolderFile): string | null {
  const fault = readWorkspacePath(name);
  if (typeof fault === 'string') return `its path ${fault}`;
  const most = MAX_FILE_BYTES / 1024 / 1024;
  return bytes > MAX_FILE_BYTES ? `it is larger than ${most} MiB` : null;
}

/** Holds what a file beside the two roots is in the place of; what that comes to is told once. */
function noteMisplaced(name: string, view: LocalView): void {
  const meant = mistakenRoot(name);
  const [root, client = '', ...rest] = name.split('/');
  if (meant !== null) {
    const why = `${name} is in its place, or differs only in case: rename it`;
    if (!view.held.has(meant)) hold(view, meant, why);
  } else if (root === 'clients' && rest.length === 0 && isId(client)) {
    hold(view, name, 'it is a file in the place of a client’s folder: rename it');
  }
}

/** The files of the two roots by their paths on the wire; what cannot go there is told and held. */
function sortOut({ files }: FolderContent, view: LocalView): Map<string, FolderFile> {
  const found = new Map<string, FolderFile>();
  for (const file of files) {
    const { name } = file;
    if (isLeftOut(name)) continue;
    const [root, ...rest] = name.split('/');
    if (!(root === 'team' && rest.length > 0) && !(root === 'clients' && rest.length > 1)) {
      view.outside += 1;
      noteMisplaced(name, view);
      continue;
    }
    const why = unfit(file);
    if (why !== null) {
      view.notDone.push({ state: 'not sent', name, why });
      view.held.hold(name);
      continue;
    }
    const read = readWorkspacePath(name);
    const path = typeof read === 'string' ? name : read.path;
    if (view.held.has(path)) continue;
    if (found.has(path)) {
      view.held.hold(path);
      found.delete(path);
      const reason = 'two files here have this name, in forms that count as one: rename one of them';
      view.notDone.push({ state: 'not sent', name: path, why: reason });
    } else {
      found.set(path, file);
    }
  }
  return found;
}

/**
 * The folders of clients as they are written here, by their scopes. Of one that is there in two spellings it is not
 * clear which is meant: it is told and held.
 */
async function findClientFolders(folder: string, view: LocalView): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const clients = join(folder, 'clients');
  // Where it cannot be read, or is a link, all of it is held already.
  if (view.held.has('clients') || (await look(clients))?.isDirectory() !== true) return found;
  const names = await readdir(clients).catch((error: unknown) => {
    hold(view, 'clients', readFault(error, 'clients'));
    return [];
  });
  for (const name of names.filter(isId).map((client) => `clients/${client}`)) {
    const scope = wireName(name);
    const other = found.get(scope);
    if (other === undefined) found.set(scope, name);
    else hold(view, scope, `${other} and ${name} are one client’s: put them together in one folder`);
  }
  return found;
}

/** Reads a file if it may have changed since both sides were in step; null if it was deleted before it could be read. */
async function readLocal(file: FolderFile, base: BaseFile | undefined): Promise<LocalFile | null> {
  const { path: at, bytes, modified } = file;
  if (base !== undefined && base.bytes === bytes && base.modified === modified)
    return { at, bytes, modified, settled: true, sha256: base.sha256 };
  const settled = isSettled(modified);
  const content = await readFile(at).catch(async (error: unknown) => {
    if ((await look(at)) === null) return null;
    throw error;
  });
  return content === null
    ? null
    : { at, bytes: content.length, modified, settled, sha256: sha256Of(content) };
}

/**
 * What the folder has now, with the hashes of contents: known ones where size and time are as they were.
 * @param tell hears how many files were looked at so far, of how many
 */
export async function readLocalFiles(
  folder: string,
  base: ReadonlyMap<string, BaseFile>,
  tell: (done: number, of: number) => void,
): Promise<LocalView> {
  const content = await readFolder(folder);
  // The sync's own.
  if (await look(`${folder}/${STATE_FOLDER}`)) content.leftOut.hidden -= 1;
  const { leftOut } = content;
  const view: LocalView = {
    files: new Map(),
    held: new Held(),
    notDone: [],
    outside: 0,
    clientFolders: new Map(),
    leftOut,
  };
  for (const name of content.notFollowed) {
    const meant = mistakenRoot(name);
    // One of that very name is counted among what is left out.
    if (meant !== null && meant !== name) noteMisplaced(name, view);
    view.held.hold(name);
  }
  for (const { name, why } of content.unreadable) hold(view, name.normalize('NFC'), why);
  view.clientFolders = await findClientFolders(folder, view);
  const found = sortOut(content, view);
  let done = 0;
  for (const [path, file] of found) {
    tell((done += 1), found.size);
    try {
      const read = await readLocal(file, base.get(path));
      if (read === null) continue;
      const written = readWrittenPath(path);
      // A content that is there already needs no sending.
      if (typeof written === 'string' && read.sha256 !== base.get(path)?.sha256) {
        hold(view, path, `its path ${written}`);
      } else if (read.bytes > MAX_FILE_BYTES) hold(view, path, 'it became too large during the sync');
      else view.files.set(path, read);
    } catch (error) {
      hold(view, path, readFault(error, path));
    }
  }
  return view;
}

function hold({ held, notDone }: LocalView, name: string, why: string): void {
  held.hold(name);
  notDone.push({ state: 'not sent', name, why });
}
