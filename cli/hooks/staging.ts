import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { CaptureResponse, MAX_SUMMARY } from '../../shared/schemas/captures.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { checkWrites } from '../client/service-checks.ts';
import { TemporaryFailure, withRetry } from '../client/service-client.ts';
import { setting } from '../client/settings.ts';
import { findOptionalClient, signedInToTeam } from '../client/signed-in.ts';
import { rejectable } from '../program/older-node.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError, messageOf, printNote } from '../terminal/command-error.ts';
import { counted, type Result } from '../terminal/output.ts';
import { HOOK_OPTIONS, type HookInput, type HookOptions, readHookInput } from './hook-options.ts';
import { projectName } from './recall.ts';
import { isCheck, recorded, runHook } from './run-hook.ts';
import {
  deleteUnstaged,
  endOf,
  listUnstaged,
  MAX_STAGING_MS,
  noteUnstaged,
  type Outcome,
  readProgress,
  saveOutcome,
  type Unstaged,
} from './state.ts';
import { type Message, readTranscript } from './transcript.ts';

/** A session with less text contains nothing to learn from, such as one that was opened and closed. */
const MIN_CHARACTERS = 200;

/** The longest piece of a message, in characters. Several fit in a capture, so that captures are well filled. */
const MAX_PIECE = MAX_SUMMARY / 4;

/** What one capture contains. */
export interface Part {
  text: string;
  /** The number of messages of the session up to the end of this part. */
  upTo: number;
  startedAt: string | null;
  endedAt: string | null;
}

const heading = (speaker: Message['speaker']) => `${speaker}:\n`;

/** Divides long messages, between lines if possible. */
function splitLong(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const pieces: string[] = [];
    let { text } = message;
    while (text.length > MAX_PIECE) {
      const lineEnd = text.lastIndexOf('\n', MAX_PIECE);
      let end = lineEnd > 0 ? lineEnd : MAX_PIECE;
      // Between the two halves of a character, it would be lost.
      if (lineEnd <= 0 && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
      pieces.push(text.slice(0, end));
      text = text.slice(end).trimStart();
    }
    return [...pieces, text].filter((piece) => piece !== '').map((piece) => ({ ...message, text: piece }));
  });
}

/**
 * The next part of a session: as many messages as one capture can contain.
 * @param messages as `splitLong` returns them
 * @param from the number of messages before this part; there must be one more
 */
function nextPart(messages: readonly Message[], from: number): Part {
  let text = '';
  let upTo = from;
  for (const { speaker, text: said } of messages.slice(from)) {
    const isSame = upTo > from && messages[upTo - 1]?.speaker === speaker;
    const added = `${text === '' ? '' : '\n\n'}${isSame ? '' : heading(speaker)}${said}`;
    if (text.length + added.length > MAX_SUMMARY) break;
    text += added;
    upTo += 1;
  }
  const times = messages.slice(from, upTo).flatMap(({ at }) => at ?? []);
  return { text, upTo, startedAt: times[0] ?? null, endedAt: times.at(-1) ?? null };
}

/**
 * Whether the messages from here on are worth a capture. What is short waits for the next messages. At the end of a
 * session no more follow, so once it has a capture, the rest is staged however short it is.
 */
function isWorthStaging(messages: readonly Message[], from: number, isEnd: boolean): boolean {
  const rest = messages.slice(from);
  const hasCapture = from > 0;
  if (hasCapture && isEnd) return rest.length > 0;
  const hasBoth = ['Person', 'Agent'].every((one) => rest.some(({ speaker }) => speaker === one));
  const characters = rest.reduce((sum, { text }) => sum + text.length, 0);
  return characters >= MIN_CHARACTERS && (hasBoth || hasCapture);
}

/** How many earlier sessions a hook stages after its own. */
const MAX_REPEATED = 20;

/** Agents write the home folder in a path as `~`. */
const absolutePath = (path: string) => (path.startsWith('~/') ? homedir() + path.slice(1) : path);

/**
 * Stages what is new in a session as captures, one for each part: what follows the last capture that the service has.
 * The metadata of each capture has the number of messages up to its end. Two processes can stage one session at the same
 * time: the service answers a sequence that it already has with the capture that has it.
 * @throws CommandError
 */
async function stageNew(
  options: HookOptions,
  { sessionId, cwd, isEnd }: Unstaged,
  messages: readonly Message[],
): Promise<number> {
  const { service: asked } = await signedInToTeam(options);
  const service = withRetry(asked, () => {});
  const clientId = await findOptionalClient(service, options.client);
  const metadata = {
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    project: cwd === '' ? null : await projectName(cwd),
  };
  let { sequence, from } = await readProgress(service, sessionId, messages);
  while (isWorthStaging(messages, from, isEnd)) {
    sequence += 1;
    const { text, upTo, startedAt, endedAt } = nextPart(messages, from);
    const { capture } = await service.post('/v1/memory/captures', CaptureResponse, {
      sessionId,
      sequence,
      summary: text,
      ...(startedAt === null ? {} : { startedAt }),
      ...(endedAt === null ? {} : { endedAt }),
      ...(clientId === undefined ? {} : { scope: { clientId } }),
      metadata: { ...metadata, upTo },
    });
    from = Math.max(from, endOf(capture, messages));
  }
  return sequence;
}

/**
 * Ends the wait for some work at the limit. The work itself can continue, so the process must end then.
 * @throws CommandError
 */
async function within<Value>(limit: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  const { promise: late, reject } = rejectable();
  const end = () => reject(new CommandError('the session could not be staged in time'));
  limit.addEventListener('abort', end, { once: true });
  if (limit.aborted) end();
  return Promise.race([late, work()]).finally(() => limit.removeEventListener('abort', end));
}

/** Stores something for later hooks. If that is not possible, the session is staged nevertheless. */
async function keep(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => printNote(messageOf(error)));
}

/**
 * Stages one session. A note about it exists until the service has it, so that a later hook repeats what failed or was
 * killed.
 * @returns the number of captures that it has
 * @throws CommandError
 */
async function stageOne(options: HookOptions, session: Unstaged, limit: AbortSignal): Promise<number> {
  const file = absolutePath(session.transcriptPath);
  const save = (outcome: Omit<Outcome, 'file'>) => keep(saveOutcome(options.agent, { file, ...outcome }));
  const reading = within(limit, () => readTranscript(file));
  const { messages: said, unknownForms } = await reading.catch(async (error: unknown) => {
    await save({ unknownForms: null, failure: messageOf(error), isStaged: false });
    // A transcript that was removed does not come back.
    await keep(deleteUnstaged(options, session));
    throw error;
  });
  if (unknownForms.length > 0)
    printNote(`${file} has records in forms that are not known and not staged: ${unknownForms.join(', ')}`);
  const messages = splitLong(said);
  if (!isWorthStaging(messages, 0, session.isEnd)) {
    await keep(deleteUnstaged(options, session));
    await save({ unknownForms, failure: null, isStaged: false });
    return 0;
  }
  await keep(noteUnstaged(options, session, false));
  try {
    const captures = await within(limit, () => stageNew(options, session, messages));
    await keep(deleteUnstaged(options, session));
    await save({ unknownForms, failure: null, isStaged: true });
    return captures;
  } catch (error) {
    await keep(noteUnstaged(options, session, true));
    await save({ unknownForms, failure: messageOf(error), isStaged: false });
    throw error;
  }
}

/** Stages the sessions that earlier hooks could not stage. One that fails does not stop those after it. */
async function stageEarlier(options: HookOptions, limit: AbortSignal): Promise<void> {
  const sessions = await listUnstaged(options);
  for (const session of sessions.slice(0, MAX_REPEATED)) {
    try {
      await stageOne(options, session, limit);
    } catch (error) {
      printNote(messageOf(error));
      if (limit.aborted || error instanceof TemporaryFailure) return;
    }
  }
}

/**
 * Stages what is new in a session, and then the sessions that earlier hooks could not stage.
 * @param isEnd whether the session has ended
 * @param limit when it is reached, it waits for nothing
 * @returns the number of captures that the session has
 * @throws CommandError
 */
export async function stageSession(
  options: HookOptions,
  { sessionId, transcriptPath, cwd }: HookInput,
  isEnd: boolean,
  limit: AbortSignal,
): Promise<number> {
  if (sessionId === '' || transcriptPath === '')
    throw new CommandError('standard input: expected session_id and transcript_path');
  const captures = await stageOne(options, { sessionId, transcriptPath, cwd, isEnd }, limit);
  await stageEarlier(options, limit).catch((error: unknown) => printNote(messageOf(error)));
  return captures;
}

/**
 * Checks that sessions can be staged, without staging one.
 * @returns where they are staged
 * @throws CommandError
 */
async function checkStaging(options: HookOptions): Promise<string> {
  const { service } = await signedInToTeam(options);
  const team = await service.get('/v1/team', SelectedTeam);
  const { state, detail, remedy } = checkWrites(team, await service.get('/v1/auth/session', SessionInfo));
  if (state !== 'ok') throw new CommandError(`${detail}: ${remedy}`);
  const client = await findOptionalClient(service, options.client);
  const layer = client === undefined ? 'the Team layer' : `the client ${client}`;
  return `Sessions are staged in ${layer} of ${oneLine(team.name)}.`;
}

/** The option with which a hook does its work itself. */
const WAIT_OPTION = 'wait';

/**
 * Runs this command again in a process of its own, which continues when the agent and its terminal have ended. Agents
 * end a hook of the end of a session after one to three seconds.
 * @param input what the process receives on standard input
 */
async function detach({ sessionId, transcriptPath, cwd }: HookInput): Promise<void> {
  const words = [...process.execArgv, ...process.argv.slice(1), `--${WAIT_OPTION}`];
  const child = spawn(process.execPath, words, {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', setting('MEMORY_HOOK_DEBUG') === null ? 'ignore' : 'inherit'],
  });
  child.unref();
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  child.stdin.end(JSON.stringify({ session_id: sessionId, transcript_path: transcriptPath, cwd }));
  await Promise.race([once(child.stdin, 'finish'), failed]);
}

/** The options of a hook that stages a session. */
export const STAGE_OPTIONS = {
  [WAIT_OPTION]: {
    type: 'boolean',
    help: 'stage the session in this process, and report it or why it failed',
  },
  ...HOOK_OPTIONS,
} as const;

/** What the help of each of these hooks says. */
export const STAGE_NOTES = `It stages what the person and the agent have said as captures: without calls of tools and
their results, and without what these hooks and the agent's program had added. The transcript is read by a process of
its own, so that the agent does not wait. A session that is staged again makes no second captures.`;

/**
 * Runs a hook that stages what is new in a session.
 * @param isEnd whether the session has ended, so that what is left is staged even if it is short
 */
export async function runStageHook(
  values: HookOptions & { readonly wait?: boolean | undefined },
  isEnd: boolean,
): Promise<Result> {
  const call = { agent: values.agent, hook: isEnd ? 'session-end' : 'turn-end' } as const;
  if (isCheck()) {
    // Not within the time of a hook: the staging itself runs in the background.
    const text = await checkStaging(values);
    return { text, data: { text } };
  }
  if (values.wait !== true) {
    return runHook({ ...call, isDetached: true }, async () => {
      await detach(await readHookInput());
      return '';
    });
  }
  const limit = AbortSignal.timeout(MAX_STAGING_MS);
  try {
    const stage = async () => stageSession(values, await readHookInput(), isEnd, limit);
    const captures = await recorded(call, stage);
    const text =
      captures === 0
        ? 'The session is too short to be staged.'
        : `The session has ${counted(captures, 'capture')}.`;
    return { text, data: { captures } };
  } finally {
    // Whatever it still waits for, the process ends when it has printed this. A later hook continues.
    if (limit.aborted) setImmediate(() => process.exit());
  }
}
