import type { TeamTransaction } from '../../../db/driver/database.ts';
import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { isPast } from '../../../shared/formats/times.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import { memoryEvent } from '../events.ts';
import type { Acted, DecisionAction } from './action.ts';

/** How long a discarded memory can be put back into review. */
const REOPEN_DAYS = 30;
const DAY_MS = 86_400_000;

/** Puts a discarded memory back into review. */
export const reopen: DecisionAction = {
  fields: [],
  participle: 'reopened',
  act: (tx, { own: { memory } }) => reopenMemory(tx, memory),
};

/**
 * Puts a locked memory, which is discarded, back into review.
 * @throws ServiceError `conflict` if that was too long ago, or if the memory has expired
 */
export async function reopenMemory(tx: TeamTransaction, memory: Memory): Promise<Acted> {
  const discardedAt = Date.parse(memory.decidedAt ?? memory.updatedAt);
  if (Date.now() - discardedAt > REOPEN_DAYS * DAY_MS) {
    throw new ServiceError(
      'conflict',
      `A memory that was discarded more than ${REOPEN_DAYS} days ago cannot be reopened`,
    );
  }
  if (isPast(memory.expiresAt)) throw new ServiceError('conflict', 'The memory has expired');
  const reopened = await updateMemory(tx, memory.id, { state: 'review' });
  return { result: reopened, audit: [memoryEvent('memory.reopen', reopened)] };
}
