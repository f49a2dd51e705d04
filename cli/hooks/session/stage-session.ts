import { homedir } from 'node:os';
import { CaptureResponse } from '../../../shared/schemas/consolidation.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { withRetry } from '../../client/retry.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { HookInput } from '../hook-input.ts';
import type { HookOptions } from '../hook-options.ts';
import { projectName } from '../recall/project.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { isWorthStaging, nextPart, splitLong } from './parts.ts';

/** More parts than any session has. */
const MAX_PARTS = 1000;

/** Agents write the home folder in a path as `~`. */
const absolutePath = (path: string) => (path.startsWith('~/') ? homedir() + path.slice(1) : path);

/**
 * Stages a session as captures, one for each part. A session that was staged before, or that was resumed, is staged from
 * where it ended: the metadata of each capture has the number of messages up to its end, and the service answers a sequence that it
 * already has with the capture that has it.
 * @param isEnd whether the session has ended
 * @returns the number of captures that the session has
 * @throws CommandError
 */
export async function stageSession(
  options: HookOptions,
  { sessionId, transcriptPath, cwd }: HookInput,
  isEnd: boolean,
): Promise<number> {
  if (sessionId === '' || transcriptPath === '')
    throw new CommandError('standard input: expected session_id and transcript_path');
  const messages = splitLong((await readTranscript(absolutePath(transcriptPath))).messages);
  if (!isWorthStaging(messages, 0, isEnd)) return 0;
  const { service: asked } = await signedInToTeam(options);
  const service = withRetry(asked, () => {});
  const clientId = await findOptionalClient(service, options.client);
  const metadata = {
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    project: cwd === '' ? null : await projectName(cwd),
  };
  let from = 0;
  for (let sequence = 1; sequence <= MAX_PARTS; sequence += 1) {
    if (!isWorthStaging(messages, from, isEnd)) return sequence - 1;
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
    const reached = capture.metadata['upTo'];
    if (typeof reached === 'number' && reached > from) from = Math.min(reached, messages.length);
  }
  return MAX_PARTS;
}
