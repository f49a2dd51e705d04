import { PAGE_LIMITS } from '../../../shared/schemas/common.ts';
import { type Capture, ListedCapture } from '../../../shared/schemas/consolidation.ts';
import { SessionInfo } from '../../../shared/schemas/identity.ts';
import { readList } from '../../client/read-list.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Message } from '../transcript/record.ts';

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
