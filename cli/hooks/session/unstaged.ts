import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, removeFile, writePrivateFile } from '../../client/private-file.ts';
import type { HookInput } from '../hook-input.ts';
import type { HookOptions } from '../hook-options.ts';
import { stateFolder } from './state.ts';

/** The longest time that a process stages. A note that is older is of a process that was killed. */
export const MAX_STAGING_MS = 10 * 60_000;
/** After this time, a session that could not be staged is given up. */
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

/** A session that is being staged, or that could not be staged. */
export interface Unstaged extends Pick<HookInput, 'sessionId' | 'transcriptPath' | 'cwd'> {
  isEnd: boolean;
  /** When a hook first tried to stage it, in ms since 1970; absent: now. */
  since?: number;
}

/** A note about it in a file: what to stage, with which options, and whether that failed. It contains no credential. */
interface Note extends Required<Unstaged> {
  target: string;
  hasFailed: boolean;
}

const folder = () => join(stateFolder(), 'unstaged');

/** What decides where a session is staged. */
const targetOf = ({ agent, url, profile, team, client }: HookOptions) =>
  JSON.stringify([agent, url, profile, team, client]);

function pathOf(target: string, { sessionId, isEnd }: Unstaged): string {
  const name = createHash('sha256')
    .update(JSON.stringify([target, sessionId, isEnd]))
    .digest('hex');
  return join(folder(), `${name}.json`);
}

/**
 * Notes that a session is to be staged, so that a later hook stages it if this process is killed or fails.
 * @throws CommandError if the file cannot be written
 */
export function noteUnstaged(options: HookOptions, session: Unstaged, hasFailed: boolean): Promise<void> {
  const { sessionId, transcriptPath, cwd, isEnd, since = Date.now() } = session;
  const target = targetOf(options);
  const note: Note = { sessionId, transcriptPath, cwd, isEnd, since, target, hasFailed };
  return writePrivateFile(pathOf(target, session), note, 'the note about a session');
}

/** Removes the notes about a session that is staged. Its end contains its turns. */
export async function deleteUnstaged(options: HookOptions, session: Unstaged): Promise<void> {
  const ends = session.isEnd ? [false, true] : [false];
  for (const isEnd of ends) await removeFile(pathOf(targetOf(options), { ...session, isEnd }));
}

function parseNote(text: string): Note | null {
  const { sessionId, transcriptPath, cwd, isEnd, since, target, hasFailed } = parseRecord(text) ?? {};
  const texts = [sessionId, transcriptPath, cwd, target];
  if (!texts.every((value) => typeof value === 'string') || typeof since !== 'number') return null;
  return {
    sessionId,
    transcriptPath,
    cwd,
    since,
    target,
    isEnd: isEnd === true,
    hasFailed: hasFailed === true,
  } as Note;
}

/** The sessions that a hook with these options could not stage. Notes that are too old or damaged are removed. */
export async function listUnstaged(options: HookOptions): Promise<Unstaged[]> {
  const names = await readdir(folder()).catch(() => []);
  const found: Unstaged[] = [];
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const path = join(folder(), name);
    const text = await readFile(path, 'utf8').catch(() => null);
    const written = await stat(path).catch(() => null);
    if (text === null || written === null) continue;
    const now = Date.now();
    const note = parseNote(text);
    const isAtWork = note?.hasFailed === false && now - written.mtimeMs <= MAX_STAGING_MS;
    if (note === null || now - note.since > MAX_AGE_MS) await removeFile(path);
    else if (note.target === targetOf(options) && !isAtWork) found.push(note);
  }
  return found;
}
