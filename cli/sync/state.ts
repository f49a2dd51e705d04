import { appendFile, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';

/** The folder for the state of the sync. It is hidden, so that the sync leaves it out. */
export const STATE_FOLDER = '.team-memory';

const FORMAT = 1;

/** The file that both sides had at a path when they were last in sync. */
const BaseFile = Type.Object({
  version: Type.Integer(),
  sha256: Type.String(),
  bytes: Type.Integer(),
  /**
   * With `bytes`, `changed` and `inode` the stamp of the local file. Null: it does not stand for the content, and the file is
   * read again.
   */
  modified: Type.Union([Type.Number(), Type.Null()]),
  /** Absent if `modified` is null. */
  changed: Type.Optional(Type.Number()),
  /** Absent if `modified` is null. */
  inode: Type.Optional(Type.String()),
});
export type BaseFile = Static<typeof BaseFile>;

const SavedState = Type.Object({
  format: Type.Literal(FORMAT),
  url: Type.String(),
  teamId: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  scopes: Type.Array(Type.String()),
  files: Type.Record(Type.String(), BaseFile),
});
/** A line of the journal: for each path the file that both sides have, or null if both have none. */
const Line = Type.Record(Type.String(), Type.Union([BaseFile, Type.Null()]));
type Entries = readonly (readonly [path: string, file: BaseFile | null])[];

/** The service and Team that a folder is in sync with. */
export interface Binding {
  url: string;
  teamId: string;
}

/** The state of a folder, from earlier runs. */
export interface SyncState extends Binding {
  /** All changes of the service up to this revision are in the folder. Null before the first complete pass. */
  revision: number | null;
  /** The folders of the layers that the caller could read at that revision. */
  scopes: readonly string[];
  files: Map<string, BaseFile>;
}

function pathsIn(folder: string) {
  const place = join(folder, STATE_FOLDER);
  return { place, state: join(place, 'state.json'), journal: join(place, 'journal.jsonl') };
}

/** Reads a file's text; null if the file does not exist. */
async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CommandError(`${oneLine(path)} cannot be read (${error.code})`);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Applies the journal, which has the changes since the state was last written. Stops at an incomplete line. */
function replay(files: Map<string, BaseFile>, journal: string): void {
  for (const text of journal.split('\n')) {
    const line = parsed(text);
    if (!Value.Check(Line, line)) return;
    apply(files, Object.entries(line));
  }
}

function apply(files: Map<string, BaseFile>, noted: Entries): void {
  for (const [path, file] of noted) {
    if (file === null) files.delete(path);
    else files.set(path, file);
  }
}

/**
 * Reads the state of a folder; null if the folder was never synced.
 * @throws CommandError if the state cannot be read
 */
export async function readState(folder: string): Promise<SyncState | null> {
  const { state, journal } = pathsIn(folder);
  const text = await readIfThere(state);
  if (text === null) return null;
  const saved = parsed(text);
  if (!Value.Check(SavedState, saved)) {
    throw new CommandError(
      `${oneLine(state)} is damaged, or from another version: remove ${STATE_FOLDER} there, and run sync again (it compares all files, and keeps both versions of files that differ)`,
    );
  }
  const files = new Map(Object.entries(saved.files));
  replay(files, (await readIfThere(journal)) ?? '');
  return { url: saved.url, teamId: saved.teamId, revision: saved.revision, scopes: saved.scopes, files };
}

/** @throws CommandError if the folder is synced with another Team or service */
export function assertBound(folder: string, state: Binding, { url, teamId }: Binding): void {
  if (state.url === url && state.teamId === teamId) return;
  throw new CommandError(
    `${oneLine(folder)} is synced with the Team ${oneLine(state.teamId)} at ${oneLine(state.url)}: use another folder for the Team ${teamId} at ${url}, or remove ${STATE_FOLDER} there`,
  );
}

/** Stores the state of a folder. A dry run has no journal and stores nothing. */
export interface Journal {
  /** Appends changes to the journal. They are stored even if the process is killed afterwards. */
  append(noted: Entries): Promise<void>;
  /** Whether the journal has changes since the state was last written. */
  hasPending(): boolean;
  /** Writes the whole state and removes the journal, at the end of a pass. */
  compact(): Promise<void>;
}

/** Turns an error of the file system into a CommandError of one line. */
async function withWriteError<Result>(place: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`${oneLine(place)} cannot be written to (${code})`);
  }
}

/** Writes the whole state to a temporary file, and renames it. */
async function writeState(path: string, { files, ...rest }: SyncState): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify({ format: FORMAT, ...rest, files: Object.fromEntries(files) }));
    // If the file were renamed before its text is on the disk, it could be empty after a power failure.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/**
 * Opens the journal of a folder. Its `append` also updates `state`.
 * @throws CommandError if the state cannot be written
 */
export async function openJournal(folder: string, state: SyncState): Promise<Journal> {
  const { place, state: path, journal } = pathsIn(folder);
  let pending = false;
  const compact = () =>
    withWriteError(place, async () => {
      await writeState(path, state);
      // The state has all changes of the journal. If the removal fails, replaying the journal changes nothing.
      await rm(journal, { force: true });
      pending = false;
    });
  // The journal can end with an incomplete line. Lines after it would be ignored, so the journal starts again.
  await compact();
  return {
    hasPending: () => pending,
    append: async (noted) => {
      if (noted.length === 0) return;
      apply(state.files, noted);
      pending = true;
      const line = `${JSON.stringify(Object.fromEntries(noted))}\n`;
      await withWriteError(place, () => appendFile(journal, line, { mode: 0o600 }));
    },
    compact,
  };
}

/**
 * Creates the folder for the state if it does not exist.
 * @throws CommandError if the path exists and is not a folder
 */
export async function makeStateFolder(folder: string): Promise<void> {
  const { place } = pathsIn(folder);
  await mkdir(place, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new CommandError(`${oneLine(place)} cannot be created (${error.code})`);
  });
  const found = await lstat(place);
  if (!found.isDirectory()) throw new CommandError(`${oneLine(place)} is not a folder`);
}
