import { appendFile, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';

/** Where a folder keeps what its sync needs to know; hidden, so that it is left out itself. */
export const STATE_FOLDER = '.team-memory';

const FORMAT = 1;

/** What both sides had at a path when they last were in step. */
const BaseFile = Type.Object({
  version: Type.Integer(),
  sha256: Type.String(),
  bytes: Type.Integer(),
  /** The file's own time here, in ms since 1970; null where it was so fresh that the next change might not show. */
  modified: Type.Union([Type.Number(), Type.Null()]),
});
export type BaseFile = Static<typeof BaseFile>;

const Kept = Type.Object({
  format: Type.Literal(FORMAT),
  url: Type.String(),
  teamId: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  scopes: Type.Array(Type.String()),
  files: Type.Record(Type.String(), BaseFile),
});
/** What became of files: in step as told, or (null) gone on both sides. */
const Line = Type.Record(Type.String(), Type.Union([BaseFile, Type.Null()]));
type Noted = readonly (readonly [path: string, file: BaseFile | null])[];

/** The service and Team that a folder is in sync with. */
export interface Binding {
  url: string;
  teamId: string;
}

/** What a sync knows of a folder from its earlier runs. */
export interface SyncState extends Binding {
  /** All changes there up to this one are done here; null before the first whole pass. */
  revision: number | null;
  /** What was within reach then. */
  scopes: readonly string[];
  files: Map<string, BaseFile>;
}

function pathsIn(folder: string) {
  const place = join(folder, STATE_FOLDER);
  return { place, state: join(place, 'state.json'), journal: join(place, 'journal.jsonl') };
}

/** A file's text, or null if it does not exist. */
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

/** Takes over what was noted since the state was last written. A line that was cut off ends it. */
function replay(files: Map<string, BaseFile>, journal: string): void {
  for (const text of journal.split('\n')) {
    const line = parsed(text);
    if (!Value.Check(Line, line)) return;
    apply(files, Object.entries(line));
  }
}

function apply(files: Map<string, BaseFile>, noted: Noted): void {
  for (const [path, file] of noted) {
    if (file === null) files.delete(path);
    else files.set(path, file);
  }
}

/**
 * What is known of a folder, or null where it was never in sync.
 * @throws CommandError where that cannot be read
 */
export async function readState(folder: string): Promise<SyncState | null> {
  const { state, journal } = pathsIn(folder);
  const text = await readIfThere(state);
  if (text === null) return null;
  const kept = parsed(text);
  if (!Value.Check(Kept, kept)) {
    throw new CommandError(
      `${oneLine(state)} is damaged, or of another version: remove ${STATE_FOLDER} there, and run sync again (it finds what is in step, and keeps both where contents differ)`,
    );
  }
  const files = new Map(Object.entries(kept.files));
  replay(files, (await readIfThere(journal)) ?? '');
  return { url: kept.url, teamId: kept.teamId, revision: kept.revision, scopes: kept.scopes, files };
}

/** @throws CommandError where a folder is in sync with another Team */
export function assertBound(folder: string, state: Binding, { url, teamId }: Binding): void {
  if (state.url === url && state.teamId === teamId) return;
  throw new CommandError(
    `${oneLine(folder)} is in sync with the Team ${oneLine(state.teamId)} at ${oneLine(state.url)}: take another folder for the Team ${teamId} at ${url}, or remove ${STATE_FOLDER} there`,
  );
}

/** Where a sync keeps what it knows; without it (a dry run) it keeps nothing. */
export interface Notebook {
  /** Notes what became of files: kept from then on, whenever the process ends. */
  note(noted: Noted): Promise<void>;
  /** Whether anything was noted since the state was last written. */
  pending(): boolean;
  /** Writes the whole state again, at the end of a pass. */
  fold(): Promise<void>;
}

/** What the file system says of the notebook, as one line. */
async function written<Result>(place: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`${oneLine(place)} cannot be written to (${code})`);
  }
}

/** Writes the whole state beside the last one, and puts it in its place. */
async function writeState(path: string, { files, ...rest }: SyncState): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify({ format: FORMAT, ...rest, files: Object.fromEntries(files) }));
    // Renamed before its text is on the disk, the file may be empty after a power failure.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
}

/**
 * Opens the notebook of a folder. What it notes goes into `state` as well.
 * @throws CommandError where it cannot be written
 */
export async function openNotebook(folder: string, state: SyncState): Promise<Notebook> {
  const { place, state: path, journal } = pathsIn(folder);
  let pending = false;
  const fold = () =>
    written(place, async () => {
      await writeState(path, state);
      // What it holds is in the state now: replayed once more it would change nothing.
      await rm(journal, { force: true });
      pending = false;
    });
  // What follows a line that was cut off would be lost with it.
  await fold();
  return {
    pending: () => pending,
    note: async (noted) => {
      if (noted.length === 0) return;
      apply(state.files, noted);
      pending = true;
      const line = `${JSON.stringify(Object.fromEntries(noted))}\n`;
      await written(place, () => appendFile(journal, line, { mode: 0o600 }));
    },
    fold,
  };
}

/**
 * Makes the folder that the state lies in, where it is not there yet.
 * @throws CommandError where something else is in its place
 */
export async function makeStateFolder(folder: string): Promise<void> {
  const { place } = pathsIn(folder);
  await mkdir(place, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new CommandError(`${oneLine(place)} cannot be made (${error.code})`);
  });
  const found = await lstat(place);
  if (!found.isDirectory()) throw new CommandError(`${oneLine(place)} is no folder`);
}
