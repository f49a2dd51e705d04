import { homedir } from 'node:os';
import { CaptureResponse } from '../../../shared/schemas/consolidation.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { withRetry } from '../../client/retry.ts';
import { TemporaryFailure } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { rejectable } from '../../program/older-node.ts';
import { CommandError, messageOf, printNote } from '../../terminal/command-error.ts';
import type { HookInput } from '../hook-input.ts';
import type { HookOptions } from '../hook-options.ts';
import { projectName } from '../recall/project.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import type { Message } from '../transcript/record.ts';
import { endOf, readProgress } from './last-capture.ts';
import { isWorthStaging, nextPart, splitLong } from './parts.ts';
import { type Outcome, saveOutcome } from './state.ts';
import { deleteUnstaged, listUnstaged, noteUnstaged, type Unstaged } from './unstaged.ts';

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
