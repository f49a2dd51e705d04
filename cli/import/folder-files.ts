import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { foldCase } from '../../shared/formats/workspace-path.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type FileStamp, stampOf } from './file-stamp.ts';

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
