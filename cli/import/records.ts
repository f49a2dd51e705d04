import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { foldCase } from '../../shared/formats/workspace-path.ts';
import { Page } from '../../shared/schemas/common.ts';
import { Import } from '../../shared/schemas/imports.ts';
import { Source } from '../../shared/schemas/sources.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';

const PAGE_LIMIT = 200;
/** Up to this many imports are requested one by one, without reading the list. */
const MAX_SINGLE_REQUESTS = 3;

/** The imports of one layer that the caller can see. */
export interface ImportRecords {
  /** All imports, newest first. */
  all(): AsyncGenerator<Import>;
  /** The imports with these ids. Imports that were forgotten are missing from the result. */
  find(ids: ReadonlySet<string>): Promise<Map<string, Import>>;
  /** The ids of sources that were deleted. */
  deletedSources(): Promise<Set<string>>;
}

const ImportPage = Page(Import);
const SourcePage = Page(Source);

/** @param clientId the client whose imports to read; without it, the Team layer */
export function importRecords(service: ServiceClient, clientId: string | undefined): ImportRecords {
  const layerId = clientId?.toLowerCase() ?? null;
  async function* pagesOf<Item extends { clientId: string | null }>(
    read: (query: URLSearchParams) => Promise<{ items: Item[]; nextCursor: string | null }>,
  ): AsyncGenerator<Item[]> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
      if (clientId !== undefined) query.set('clientId', clientId);
      if (cursor !== null) query.set('cursor', cursor);
      const page: { items: Item[]; nextCursor: string | null } = await read(query);
      // Without a client, the service lists the imports of all layers that the caller can read.
      yield page.items.filter((item) => item.clientId === layerId);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  const pages = () => pagesOf((query) => service.get(`/v1/memory/imports?${query.toString()}`, ImportPage));
  return {
    all: async function* all() {
      for await (const page of pages()) yield* page;
    },
    find: async (ids) => {
      const found = new Map<string, Import>();
      if (ids.size > MAX_SINGLE_REQUESTS) {
        for await (const page of pages()) {
          for (const item of page) if (ids.has(item.id)) found.set(item.id, item);
          if (ids.size - found.size <= MAX_SINGLE_REQUESTS) break;
        }
      }
      for (const id of ids) {
        const item = found.has(id) ? null : await findOne(service, id);
        if (item !== null) found.set(id, item);
      }
      return found;
    },
    deletedSources: async () => {
      const ids = new Set<string>();
      // Only the deleted ones: there can be many more sources that exist.
      const deleted = pagesOf((query) =>
        service.get(`/v1/memory/sources?state=archived&${query.toString()}`, SourcePage),
      );
      for await (const page of deleted) for (const { id } of page) ids.add(id);
      return ids;
    },
  };
}

/** One import, or null if it does not exist. */
async function findOne(service: ServiceClient, id: string): Promise<Import | null> {
  try {
    return await service.get(`/v1/memory/imports/${id}`, Import);
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 404) return null;
    throw error;
  }
}

/** The earlier imports of a file. */
export interface Earlier {
  /**
   * The import that decides whether the file is sent: one that is queued or running, or whose source exists; otherwise
   * the latest one if it failed. Null if there is no such import, for example because the source was deleted.
   */
  current: Import | null;
  /** The ids of all its imports, cancelled ones too, newest first. */
  ids: string[];
}

/** Finds the earlier imports of a file: those with the same name and the same bytes. */
export type FindEarlier = (name: string, sha256: string) => Earlier;

/**
 * Reads all imports and the ids of the deleted sources, once.
 * @param onProgress is called with the number of imports read so far
 */
export async function readEarlier(
  records: ImportRecords,
  onProgress: (read: number) => void,
): Promise<FindEarlier> {
  const byFile = new Map<string, Import[]>();
  let read = 0;
  let completed = 0;
  for await (const item of records.all()) {
    read += 1;
    onProgress(read);
    if (item.state === 'completed') completed += 1;
    if (item.sha256 === null) continue;
    const key = `${item.sha256} ${item.filename}`;
    const same = byFile.get(key);
    if (same === undefined) byFile.set(key, [item]);
    else same.push(item);
  }
  const deleted = completed === 0 ? new Set<string>() : await records.deletedSources();
  // A completed import without a source id has lost its source, too.
  const ended = ({ state, sourceId }: Import) =>
    state === 'failed' || (state === 'completed' && (sourceId === null || deleted.has(sourceId)));
  return (name, sha256) => {
    const same = byFile.get(`${sha256} ${name}`) ?? [];
    const counted = same.filter(({ state }) => state !== 'cancelled');
    const alive = counted.find((item) => !ended(item));
    const latest = counted[0];
    return {
      current: alive ?? (latest?.state === 'failed' ? latest : null),
      ids: same.map(({ id }) => id),
    };
  };
}

/** What a file system tells of a file without reading it. A change of the content changes at least one of these facts. */
export interface FileStamp {
  bytes: number;
  /**
   * When the content was last changed, in ms since 1970 with fractions. A program can set it: `touch -r` does, and so does a
   * program that copies or unpacks files.
   */
  modified: number;
  /** When the content, the name or a time was last changed (ctime). A program cannot set it. */
  changed: number;
  /** The number of the file. A file that takes the place of another one has another number. */
  inode: string;
}

const NS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds as the milliseconds that `Stats` has, with the same rounding. */
function milliseconds(ns: bigint): number {
  return Number(ns / NS_PER_SECOND) * 1000 + Number(ns % NS_PER_SECOND) / 1_000_000;
}

/** The stamp of a file. The numbers of files of some file systems are exact only as `bigint`. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStamp {
  return {
    bytes: Number(size),
    modified: milliseconds(mtimeNs),
    changed: milliseconds(ctimeNs),
    inode: String(ino),
  };
}

const INSTALLED = foldCase('node_modules');

/** A file of the folder. */
export interface FolderFile extends FileStamp {
  /** Its path on the disk. */
  path: string;
  /** Its path within the folder, with slashes and in Unicode's composed form (NFC) on every file system. */
  name: string;
}

/** The content of a folder, always in the same order. */
export interface FolderContent {
  files: FolderFile[];
  /** Files and folders that cannot be read, and why. */
  unreadable: { name: string; why: string }[];
  /** How many entries were left out, with everything below them: hidden, `node_modules`, symbolic links, pipes. */
  leftOut: { hidden: number; installed: number; links: number; special: number };
  /** The names of the symbolic links and special files that were left out. No file can be written at these names. */
  notFollowed: string[];
}

/** Whether a name is `node_modules`. In any case, because on a case-insensitive disk all of them are the same folder. */
export function isInstalled(name: string): boolean {
  return foldCase(name) === INSTALLED;
}

/** The reason why a file or folder cannot be read, for a person. */
export function readFault(error: unknown, name: string): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  // A name in another encoding, decoded as UTF-8, is not the name of the file any longer.
  if (code === 'ENOENT' && name.includes('\uFFFD')) return 'its name is not UTF-8';
  return code === 'ENOENT' ? 'it was removed before it was read' : `it cannot be read (${code})`;
}

/**
 * Lists the files of a folder, at any depth. If the path is a file, lists only this file.
 * @throws CommandError if the path cannot be read
 */
export async function readFolder(path: string): Promise<FolderContent> {
  const content: FolderContent = {
    files: [],
    unreadable: [],
    leftOut: { hidden: 0, installed: 0, links: 0, special: 0 },
    notFollowed: [],
  };
  try {
    const found = await stat(path, { bigint: true });
    if (found.isDirectory())
      await addEntries(content, path, '', await readdir(path, { withFileTypes: true }));
    else if (found.isFile()) addFile(content, path, basename(path), found);
    else throw new CommandError(`${oneLine(path)} is neither a folder nor a file`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${oneLine(path)} cannot be read (${String((error as NodeJS.ErrnoException).code)})`,
    );
  }
  return content;
}

function addFile(content: FolderContent, path: string, name: string, stats: BigIntStats): void {
  content.files.push({ path, name: name.normalize('NFC'), ...stampOf(stats) });
}

type Entry = Awaited<ReturnType<typeof entriesOf>>[number];

function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true });
}

async function addEntries(
  content: FolderContent,
  folder: string,
  prefix: string,
  entries: Entry[],
): Promise<void> {
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = prefix + entry.name;
    try {
      await addEntry(content, entry, join(folder, entry.name), name);
    } catch (error) {
      content.unreadable.push({ name, why: readFault(error, name) });
    }
  }
}

async function addEntry(content: FolderContent, entry: Entry, path: string, name: string): Promise<void> {
  const { leftOut } = content;
  if (entry.isSymbolicLink()) {
    // If the target is in the folder, it is listed at its own path. If it is outside, the user did not ask for it.
    leftOut.links += 1;
    content.notFollowed.push(name.normalize('NFC'));
  } else if (entry.name.startsWith('.')) leftOut.hidden += 1;
  else if (entry.isDirectory() && isInstalled(entry.name)) leftOut.installed += 1;
  else if (entry.isDirectory()) await addEntries(content, path, `${name}/`, await entriesOf(path));
  else if (entry.isFile()) addFile(content, path, name, await lstat(path, { bigint: true }));
  else {
    leftOut.special += 1;
    content.notFollowed.push(name.normalize('NFC'));
  }
}
