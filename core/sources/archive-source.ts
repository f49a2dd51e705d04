import type { TeamTransaction } from '../../db/driver/database.ts';
import { findSource, lockOwnSource } from '../../db/queries/memory/source-library.ts';
import { archiveSource as archive } from '../../db/queries/memory/sources.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { assertActive, canRead, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from './enqueue-indexing.ts';

type Needed = Pick<Dependencies, 'database' | 'queue' | 'config'>;

/**
 * Archives a source: deletes its chunks, and keeps its row and its audit events.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller can write to the
 *   layer of the source and has created it or has Full access; `team_archived`; `conflict` if the source belongs to a
 *   memory, or is already archived
 */
export function archiveSource(deps: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockForArchive(tx, id),
    apply: (tx, source) => apply(tx, deps, source),
  });
}

async function lockForArchive(tx: TeamTransaction, id: string): Promise<Source> {
  const team = await lockTeamForWrite(tx);
  const found = await findSource(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const { clientId, createdBy } = found.source;
  // The client has been archived since the request arrived, or the caller has lost access to it.
  if (!(await canRead(tx, team, clientId))) throw new ServiceError('not_found');
  const canArchive = hasRight(team, 'actForOthers') || createdBy === team.userId;
  if (!canArchive || !(await canWrite(tx, team, [clientId]))) {
    throw new ServiceError(
      'forbidden',
      'Only its author, or a caller with Full access, can archive a source',
    );
  }
  assertActive(team);
  const source = await lockOwnSource(tx, id);
  if (source === null) throw new ServiceError('not_found');
  return source;
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { id, kind, state, clientId, chunks }: Source,
): Promise<Applied<void>> {
  if (kind === 'memory') {
    throw new ServiceError('conflict', 'The source belongs to a memory; delete the memory instead');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'The source is already archived');
  await archive(tx, id);
  return {
    result: undefined,
    audit: [
      { kind: 'memory.archive', subjectType: 'source', subjectId: id, layerId: clientId, detail: { chunks } },
    ],
    enqueue: () => enqueueIndexing(tx, queue, config, []),
  };
}
