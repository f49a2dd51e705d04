import type { TeamTransaction } from '../../db/driver/database.ts';
import { findMemory } from '../../db/queries/memories.ts';
import { findCapturesIn, purgeMemory as purge } from '../../db/queries/sources/removal.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { layerOf, requireRight, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from '../sources/indexing.ts';
import { memoryEvent } from './store.ts';

type Needed = Pick<Dependencies, 'database' | 'queue' | 'config'>;

/**
 * Deletes a memory for good, in any state: its versions, its source, the captures that only this memory was made of, and
 * the stored answers that contain it. Only audit events keep its id.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`; `forbidden` for an agent
 *   token that cannot reach the captures; `team_archived`
 */
export function purgeMemory(deps: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(deps.database, scope, {
    lock: (tx) => findToPurge(tx, id),
    apply: (tx, memory) => apply(tx, deps, memory),
  });
}

/** Finds the memory without locking it: `purge_memory` locks several memories, in the order of their ids. */
async function findToPurge(tx: TeamTransaction, id: string): Promise<Memory> {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const memory = await findMemory(tx, id);
  // Its client can have been archived since the request arrived.
  if (memory === null || !(await canWrite(tx, team, [layerOf(tx.scope, memory.clientId)])))
    throw new ServiceError('not_found');
  // Without such a limit, Full access reaches every capture; those of archived clients are deleted too.
  const isLimited = tx.scope.tokenClients !== null;
  const reached = isLimited ? await findCapturesIn(tx, memory.captureIds, tx.scope.writes) : null;
  if (reached !== null && memory.captureIds.some((captureId) => !reached.has(captureId))) {
    throw new ServiceError(
      'forbidden',
      'The memory was made from captures of clients that the agent token cannot reach; purge it without this limit',
    );
  }
  assertActive(team);
  return memory;
}

async function apply(tx: TeamTransaction, { queue, config }: Needed, memory: Memory): Promise<Applied<void>> {
  const inLayer = await findCapturesIn(tx, memory.captureIds, [layerOf(tx.scope, memory.clientId)]);
  const purged = await purge(tx, memory.id);
  // Another request has purged it since it was found.
  if (purged === null) throw new ServiceError('not_found');
  const event = memoryEvent('memory.purge', memory, { ...purged });
  const { clientId: _, ...withoutLayer } = event;
  const isOneLayer = purged.captureIds.every((captureId) => inLayer.has(captureId));
  return {
    result: undefined,
    // Without a layer, an agent token that is limited to clients does not list the event with ids of other clients.
    audit: [isOneLayer ? event : withoutLayer],
    enqueue: async () => {
      if (purged.sourceId !== null) await enqueueIndexing(tx, queue, config, []);
    },
  };
}
