import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { type Capture, ListedCapture } from '../../shared/schemas/captures.ts';
import { PAGE_LIMITS } from '../../shared/schemas/common.ts';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from '../client/private-file.ts';
import { profileFolder } from '../client/profiles.ts';
import { readList } from '../client/requests.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { type Agent, type HookInput, type HookOptions, isAgent } from './hook-options.ts';
import type { Message } from './transcript.ts';

/** The most forms that are kept for an agent. */
const MAX_FORMS = 20;
/** The longest message of an error that is kept. */
const MAX_MESSAGE = 500;

/** A form of record that an agent wrote and the hooks could not read: names of types, never what was said. */
export interface UnknownForm {
  /** The types of the record from the outside to the inside, as `event_msg/item_completed/UserMessage`. */
  form: string;
  /** When a hook last met it, in ISO 8601. */
  at: string;
  /** The transcript that contains it. */
  file: string;
}

/**
 * What is known about the staging of the sessions of one agent. It is stored as JSON, with these fields, in
 * `hooks/<agent>.json` in the folder of the unnamed profile (`~/.config/team-memory`), where only the user can read it.
 */
export interface StagingState {
  /** When the service last answered a staging, in ISO 8601; null if it never did. */
  lastStagedAt: string | null;
  /** Why the last staging failed, and when; null if it worked. */
  lastError: { at: string; message: string } | null;
  /** The forms that were met and not known, the latest first. */
  unknownForms: UnknownForm[];
}

/** Where the hooks of one agent store what they have to remember. */
export const stateFolder = () => join(profileFolder(null), 'hooks');

const statePath = (agent: Agent) => join(stateFolder(), `${agent}.json`);

const isText = (value: unknown): value is string => typeof value === 'string';

function isForm(value: unknown): value is UnknownForm {
  const { form, at, file } = (value ?? {}) as Partial<UnknownForm>;
  return isText(form) && isText(at) && isText(file);
}

/**
 * Reads what is known about the staging of the sessions of an agent. A file that is absent or damaged is empty.
 * @throws CommandError if the file cannot be read
 */
export async function readStagingState(agent: Agent): Promise<StagingState> {
  const text = await readPrivateFile(statePath(agent), 'the state of the hooks');
  const { lastStagedAt, lastError, unknownForms } = parseRecord(text ?? '') ?? {};
  const { at, message } = (lastError ?? {}) as Record<string, unknown>;
  return {
    lastStagedAt: isText(lastStagedAt) ? lastStagedAt : null,
    lastError: isText(at) && isText(message) ? { at, message } : null,
    unknownForms: Array.isArray(unknownForms) ? unknownForms.filter(isForm) : [],
  };
}

/** How the staging of a session ended. */
export interface Outcome {
  /** The transcript of the session. */
  file: string;
  /** The forms in it that were not known; null if it was not read. */
  unknownForms: readonly string[] | null;
  /** Why it failed; null if it worked. */
  failure: string | null;
  /** Whether the service has answered. A session that is too short is not sent. */
  isStaged: boolean;
}

/**
 * Stores how a staging ended. Two processes can do so at the same time: the later one wins, and the next staging of
 * the other session stores its forms again.
 * @param agent as the hook was called with it; a name that is not known has no state
 * @throws CommandError if the file cannot be written
 */
export async function saveOutcome(agent: string | undefined, outcome: Outcome): Promise<void> {
  if (!isAgent(agent)) return;
  const state = await readStagingState(agent);
  const at = new Date().toISOString();
  const { file, unknownForms, failure, isStaged } = outcome;
  const message = failure?.slice(0, MAX_MESSAGE);
  const others = state.unknownForms.filter(
    (other) => unknownForms === null || (other.file !== file && !unknownForms.includes(other.form)),
  );
  const found = (unknownForms ?? []).map((form) => ({ form, at, file }));
  const changed: StagingState = {
    lastStagedAt: isStaged && failure === null ? at : state.lastStagedAt,
    lastError: message === undefined ? (isStaged ? null : state.lastError) : { at, message },
    unknownForms: [...found, ...others].slice(0, MAX_FORMS),
  };
  await writePrivateFile(statePath(agent), changed, 'the state of the hooks');
}

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

/** Where the staging of a session continues. */
export interface Progress {
  /** The number of captures so far. */
  sequence: number;
  /** The number of messages in them. */
  from: number;
}

/**
 * The number of messages up to the end of a capture. A version of this program that reads more or fewer messages counts
 * others: then the time of the last one tells where the capture ends.
 */
export function endOf(
  { metadata, endedAt }: Pick<Capture, 'metadata' | 'endedAt'>,
  messages: readonly Message[],
): number {
  const given = metadata['upTo'];
  const upTo = typeof given === 'number' ? Math.min(given, messages.length) : 0;
  const last = messages.slice(0, upTo).findLast(({ at }) => at !== null)?.at ?? null;
  if (endedAt === null || last === endedAt) return upTo;
  return messages.findLastIndex(({ at }) => at !== null && at <= endedAt) + 1;
}

/** How far the user has staged a session, by the captures that the service has. */
export async function readProgress(
  service: ServiceClient,
  sessionId: string,
  messages: readonly Message[],
): Promise<Progress> {
  const [captures, { user }] = await Promise.all([
    readList(service, '/v1/memory/captures', ListedCapture, { sessionId }, PAGE_LIMITS.max),
    service.get('/v1/auth/session', SessionInfo),
  ]);
  let progress: Progress = { sequence: 0, from: 0 };
  for (const capture of captures) {
    const { sequence, createdBy } = capture;
    if (createdBy === user.id && sequence !== null && sequence > progress.sequence)
      progress = { sequence, from: endOf(capture, messages) };
  }
  return progress;
}
