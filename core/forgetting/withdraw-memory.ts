import type { TeamTransaction } from '../../db/driver/database.ts';
import { isOwnWithdrawal } from '../../db/queries/library/forgetting.ts';
import { lockMemories, updateMemory } from '../../db/queries/memory/memories.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { MemoryState } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import { decidesMemories, layerOf, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { reopenMemory } from '../memories/actions/reopen.ts';
import { memoryEvent } from '../memories/events.ts';
import { limitForgetting } from './limit-forgetting.ts';

type Needed = Pick<Dependencies, 'database'>;

/**
 * Withdraws a memory in review that the credential of the caller has made: it is discarded.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`, `team_archived`; `conflict` for a memory that only
 *   a decision can change; `rate_limited`
 */
export function withdrawMemory({ database }: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockOwn(tx, id, 'review', async (memory) => isMadeBy(tx.scope, memory)),
    apply: async (tx) => {
      await limitForgetting(tx);
      const discarded = await updateMemory(tx, id, { state: 'discarded' });
      return {
        result: undefined,
        audit: [memoryEvent('memory.discard', discarded, { withdrawn: true })],
      };
    },
  });
}

/**
 * Puts a memory back into review that the credential of the caller has withdrawn.
 * @throws ServiceError as `withdrawMemory`, without `rate_limited`
 */
export function reopenWithdrawn({ database }: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockOwn(tx, id, 'discarded', () => isOwnWithdrawal(tx, id)),
    apply: async (tx, memory) => {
      const { audit } = await reopenMemory(tx, memory);
      return { result: undefined, audit };
    },
  });
}

/**
 * Locks a memory in a state, if it is the caller's own. Only callers who can decide on memories, and readers of a published
 * one, learn that another one exists.
 */
async function lockOwn(
  tx: TeamTransaction,
  id: string,
  state: MemoryState,
  isOwn: (memory: Memory) => Promise<boolean>,
): Promise<Memory> {
  const team = await lockTeamForWrite(tx);
  const memory = (await lockMemories(tx, [id])).get(id)?.memory;
  if (memory === undefined || !(await canWrite(tx, team, [layerOf(tx.scope, memory.clientId)]))) {
    throw new ServiceError('not_found');
  }
  const isWanted = memory.state === state && (await isOwn(memory));
  if (!isWanted && !isKnown(tx.scope, team, memory)) throw new ServiceError('not_found');
  assertActive(team);
  if (!isWanted) {
    throw new ServiceError(
      'conflict',
      `The memory is ${memory.state === 'review' ? 'in review' : memory.state}; decide on it with decide_memory`,
    );
  }
  return memory;
}

/** Whether the caller can read the memory, or has made it. */
function isKnown(scope: TeamScope, team: Pick<TeamScope, 'access'>, memory: Memory): boolean {
  return memory.state === 'published' || isMadeBy(scope, memory) || decidesMemories({ ...scope, ...team });
}

/** Whether the credential of a caller has made a memory: its agent token, or the person, also with one of their tokens. */
function isMadeBy({ userId, tokenId }: TeamScope, { createdBy, createdWith }: Memory): boolean {
  return createdBy === userId && (tokenId === null || createdWith?.tokenId === tokenId);
}
