import type { TeamTransaction } from '../../../db/driver/database.ts';
import { purgeSource as purge } from '../../../db/queries/library/purge.ts';
import { lockSource } from '../../../db/queries/memory/source-library.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Source } from '../../../shared/schemas/memory.ts';
import { layerOf, requireRight, type TeamScope } from '../../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { enqueueIndexing } from '../enqueue-indexing.ts';

type Needed = Pick<Dependencies, 'database' | 'queue' | 'config'>;

/**
 * Deletes a source for good, in any state: its chunks, the imports that it was made of with their files, and the stored
 * answers that contain it. Only audit events keep its id. Other sources with the same text stay.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`; `team_archived`;
 *   `conflict` if the source belongs to a memory or a workspace file
 */
export function purgeSource(deps: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockToPurge(tx, id),
    apply: (tx, source) => apply(tx, deps, source),
  });
}

async function lockToPurge(tx: TeamTransaction, id: string): Promise<Source> {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const source = (await lockSource(tx, id))?.source;
  // Its client can have been archived since the request arrived.
  if (source === undefined || !(await canWrite(tx, team, [layerOf(tx.scope, source.clientId)])))
    throw new ServiceError('not_found');
  assertActive(team);
  return source;
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { id, kind, clientId, chunks }: Source,
): Promise<Applied<void>> {
  if (kind === 'memory') {
    throw new ServiceError(
      'conflict',
      'The source belongs to a memory; purge the memory with POST /v1/memory/memories/{id}/purge',
    );
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; delete the file instead');
  }
  const importIds = await purge(tx, id);
  return {
    result: undefined,
    audit: [
      {
        kind: 'memory.purge',
        subjectType: 'source',
        subjectId: id,
        clientId,
        detail: { chunks, importIds },
      },
    ],
    enqueue: () => enqueueIndexing(tx, queue, config, []),
  };
}
