import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseNewPath, parseWorkspacePath } from '../../shared/formats/workspace-path.ts';
import { isId } from '../../shared/ids.ts';
import { MAX_FILE_BYTES } from '../../shared/schemas/workspace.ts';
import {
  type FileStamp,
  type FolderContent,
  type FolderFile,
  readFault,
  readFolder,
} from '../import/records.ts';
import { hasStamp, lstatOrNull, sha256Of, stampOfContent } from './disk.ts';
import { isLeftOut, mistakenRoot, workspaceName } from './names.ts';
import type { Content } from './plan.ts';
import type { NotDone } from './report.ts';
import { type BaseFile, STATE_FOLDER } from './state.ts';

/** A file in the folder. */
export interface LocalFile extends Content {
  /** Its path on the disk, which can differ from its workspace path in case or Unicode form. */
  at: string;
  bytes: number;
  /** When it was last changed, in ms since 1970. */
  modified: number;
  /** Stands for its content. Null: the next pass must read it again. */
  stamp: FileStamp | null;
}

/** Paths whose local state is unknown or ambiguous. The sync does not touch them. */
export class UncertainPaths {
  readonly #names = new Set<string>();

  /** Adds the workspace path of a local name, and everything below it. */
  add(name: string): void {
    this.#names.add(mistakenRoot(name) ?? workspaceName(name));
  }

  has(path: string): boolean {
    if (this.#names.size === 0) return false;
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (this.#names.has(path.slice(0, at))) return true;
    }
    return false;
  }
}

/** The content of the folder. */
export interface LocalView {
  files: Map<string, LocalFile>;
  uncertain: UncertainPaths;
  /** The files that cannot be sent, with the reasons. */
  notDone: NotDone[];
  /** How many files are outside `team` and `clients/<id>`. */
  outside: number;
  /** Their names; of those in folders, the names of the folders next to `team` or to `clients/<id>`. */
  outsideNames: Set<string>;
  /** The local folder names of clients, by the folder of their layer. On the disk, an id can be in capitals. */
  clientFolders: ReadonlyMap<string, string>;
  leftOut: FolderContent['leftOut'];
  /** The time of the file system when the files were listed. */
  listedAt: number;
}

/** The reason why a file cannot be sent, by its path or size; null if it can. */
function faultOf({ name, bytes }: FolderFile): string | null {
  const fault = parseWorkspacePath(name);
  if (typeof fault === 'string') return `its path ${fault}`;
  const most = MAX_FILE_BYTES / 1024 / 1024;
  return bytes > MAX_FILE_BYTES ? `it is larger than ${most} MiB` : null;
}

/**
 * If a file outside the roots uses the name of a root or of a client's folder, reports it and marks that path as
 * uncertain.
 */
function reportMisplaced(name: string, view: LocalView): void {
  const meant = mistakenRoot(name);
  const [root, client = '', ...rest] = name.split('/');
  if (meant !== null) {
    const why = `${name} uses this name, or one that differs only in case: rename it`;
    if (!view.uncertain.has(meant)) markUncertain(view, meant, why);
  } else if (root === 'clients' && rest.length === 0 && isId(client)) {
    markUncertain(view, name, 'it is a file, but its name is that of a client’s folder: rename it');
  }
}

/** The name of a file outside the roots, or of the folder with it that is next to `team` or to `clients/<id>`. */
function nextToLayers(name: string): string {
  const segments = name.split('/');
  const shown = segments.slice(0, segments[0] === 'clients' ? 2 : 1);
  return shown.join('/') + (segments.length > shown.length ? '/' : '');
}

/**
 * Returns the files of the two roots by workspace path. Files that cannot be sent are reported and marked as uncertain.
 */
function findWorkspaceFiles({ files }: FolderContent, view: LocalView): Map<string, FolderFile> {
  const found = new Map<string, FolderFile>();
  for (const file of files) {
    const { name } = file;
    if (isLeftOut(name)) continue;
    const [root, ...rest] = name.split('/');
    if (!(root === 'team' && rest.length > 0) && !(root === 'clients' && rest.length > 1)) {
      view.outside += 1;
      view.outsideNames.add(nextToLayers(name));
      reportMisplaced(name, view);
      continue;
    }
    const why = faultOf(file);
    if (why !== null) {
      view.notDone.push({ state: 'not sent', name, why });
      view.uncertain.add(name);
      continue;
    }
    const read = parseWorkspacePath(name);
    const path = typeof read === 'string' ? name : read.path;
    if (view.uncertain.has(path)) continue;
    if (found.has(path)) {
      view.uncertain.add(path);
      found.delete(path);
      const reason = 'two files here have names that count as the same: rename one of them';
      view.notDone.push({ state: 'not sent', name: path, why: reason });
    } else {
      found.set(path, file);
    }
  }
  return found;
}

/**
 * Finds the local folder names of clients, by the folder of their layer. If a client has two folders whose names differ
 * only in case, it is not clear which one is meant, so the client is reported and its files are uncertain.
 */
async function findClientFolders(folder: string, view: LocalView): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const clients = join(folder, 'clients');
  // If `clients` cannot be read or is a symbolic link, all of it is already uncertain.
  if (view.uncertain.has('clients') || (await lstatOrNull(clients))?.isDirectory() !== true) return found;
  const names = await readdir(clients).catch((error: unknown) => {
    markUncertain(view, 'clients', readFault(error, 'clients'));
    return [];
  });
  for (const name of names.filter(isId).map((client) => `clients/${client}`)) {
    const layerFolder = workspaceName(name);
    const other = found.get(layerFolder);
    if (other === undefined) found.set(layerFolder, name);
    else
      markUncertain(
        view,
        layerFolder,
        `${other} and ${name} belong to the same client: merge them into one folder`,
      );
  }
  return found;
}

/** Reads a file, unless its stamp shows that it has not changed. Null if it was deleted before it was read. */
async function readLocal(
  file: FolderFile,
  base: BaseFile | undefined,
  now: number,
): Promise<LocalFile | null> {
  const { path: at, name: _, ...stamp } = file;
  const { bytes, modified } = stamp;
  if (base !== undefined && hasStamp(base, stamp)) return { at, bytes, modified, stamp, sha256: base.sha256 };
  const content = await readFile(at).catch(async (error: unknown) => {
    if ((await lstatOrNull(at)) === null) return null;
    throw error;
  });
  if (content === null) return null;
  const read = { bytes: content.length, sha256: sha256Of(content) };
  return { at, modified, ...read, stamp: stampOfContent(stamp, content.length, now) };
}

/**
 * Lists the files of the folder with their hashes. If the stamp of a file has not changed, its known hash is used.
 * @param now the time of the file system
 * @param onProgress is called with the number of files read so far, and the number of all files
 */
export async function readLocalFiles(
  folder: string,
  base: ReadonlyMap<string, BaseFile>,
  now: number,
  onProgress: (done: number, of: number) => void,
): Promise<LocalView> {
  const content = await readFolder(folder);
  // The sync's own folder is not counted as left out.
  if (await lstatOrNull(`${folder}/${STATE_FOLDER}`)) content.leftOut.hidden -= 1;
  const { leftOut } = content;
  const view: LocalView = {
    files: new Map(),
    uncertain: new UncertainPaths(),
    notDone: [],
    outside: 0,
    outsideNames: new Set(),
    clientFolders: new Map(),
    leftOut,
    listedAt: now,
  };
  for (const name of content.notFollowed) {
    const meant = mistakenRoot(name);
    // An entry with exactly the name of a root is already counted as left out.
    if (meant !== null && meant !== name) reportMisplaced(name, view);
    view.uncertain.add(name);
  }
  for (const { name, why } of content.unreadable) markUncertain(view, name.normalize('NFC'), why);
  view.clientFolders = await findClientFolders(folder, view);
  const found = findWorkspaceFiles(content, view);
  let done = 0;
  for (const [path, file] of found) {
    onProgress((done += 1), found.size);
    try {
      const read = await readLocal(file, base.get(path), now);
      if (read === null) continue;
      const written = parseNewPath(path);
      // The service refuses new content at this path. Content that it already has is not sent.
      if (typeof written === 'string' && read.sha256 !== base.get(path)?.sha256) {
        markUncertain(view, path, `its path ${written}`);
      } else if (read.bytes > MAX_FILE_BYTES)
        markUncertain(view, path, 'it became too large during the sync');
      else view.files.set(path, read);
    } catch (error) {
      markUncertain(view, path, readFault(error, path));
    }
  }
  return view;
}

function markUncertain({ uncertain, notDone }: LocalView, name: string, why: string): void {
  uncertain.add(name);
  notDone.push({ state: 'not sent', name, why });
}
