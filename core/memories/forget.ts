import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { lockMemories, updateMemory } from '../../db/queries/memories.ts';
import { findSource } from '../../db/queries/sources/lists.ts';
import { isOwnWithdrawal } from '../../db/queries/sources/removal.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseId } from '../../shared/ids.ts';
import type { MemoryState } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { decidesMemories, layerOf, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { archiveSource, limitForgetting, restoreSource } from '../sources/removal.ts';
import { reopenMemory } from './actions.ts';
import { memoryEvent } from './store.ts';

type Needed = Pick<Dependencies, 'database'>;

/**
 * Withdraws a memory in review that the credential of the caller has made: it is discarded.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`, `team_archived`; `conflict` for a memory that only
 *   a decision can change; `rate_limited`
 */
function withdrawMemory({ database }: Needed, scope: TeamScope, id: string): Promise<void> {
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
function reopenWithdrawn({ database }: Needed, scope: TeamScope, id: string): Promise<void> {
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

/** What was done with a source or with a memory in review. */
export interface Forgotten {
  id: string;
  status: 'archived' | 'restored' | 'withdrawn';
  /** Until when an archived source can be restored. Null: it cannot be, or it is not archived. */
  until: string | null;
}

/**
 * Archives a source, or withdraws a memory in review that the credential of the caller has made. With `undo`, restores the
 * source, or puts the memory back into review.
 * @throws ServiceError `conflict` for the source of a memory or of a workspace file; otherwise as `archiveSource`,
 *   `restoreSource` and `withdrawMemory`
 */
export async function forget(
  deps: Pick<Dependencies, 'database' | 'queue' | 'config'>,
  scope: TeamScope,
  given: string,
  undo: boolean,
): Promise<Forgotten> {
  const id = parseId(given);
  const found = await transaction(deps.database, scope, (tx) => findSource(tx, id));
  if (found === null) {
    await (undo ? reopenWithdrawn(deps, scope, id) : withdrawMemory(deps, scope, id));
    return { id, status: undo ? 'restored' : 'withdrawn', until: null };
  }
  assertForgettable(found.source, undo);
  if (undo) {
    await restoreSource(deps, scope, id);
    return { id, status: 'restored', until: null };
  }
  return { id, status: 'archived', until: await archiveSource(deps, scope, id) };
}

function assertForgettable({ kind, memoryId }: Source, undo: boolean): void {
  if (kind === 'memory') {
    const memory = memoryId === undefined ? 'the memory' : `the memory ${memoryId}`;
    throw new ServiceError(
      'conflict',
      `The source belongs to a memory; decide on ${memory} with decide_memory`,
    );
  }
  if (kind === 'file') {
    const push = undo ? 'push the file again' : 'delete the file with a push';
    throw new ServiceError('conflict', `The source belongs to a workspace file; ${push}`);
  }
}
