import type { TeamTransaction } from '../../../db/driver/database.ts';
import { archiveSource as archive } from '../../../db/queries/library/archive.ts';
import { findRestorableUntil } from '../../../db/queries/library/forgetting.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Source } from '../../../shared/schemas/memory.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { limitForgetting } from '../../forgetting/limit-forgetting.ts';
import { enqueueIndexing } from '../enqueue-indexing.ts';
import { lockSourceForChange } from '../lock-source.ts';

type Needed = Pick<Dependencies, 'database' | 'queue' | 'config'>;

/**
 * Archives a source: searches no longer find it. For `archiveDays`, `restoreSource` restores it.
 * @returns until when it can be restored; null: it cannot be
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller can write to the
 *   layer of the source and has created it or has Full access; `team_archived`; `conflict` if the source belongs to a
 *   memory or a workspace file, or is already archived; `rate_limited` for an agent token that archives too much
 */
export function archiveSource(deps: Needed, scope: TeamScope, id: string): Promise<string | null> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockSourceForChange(tx, id, 'archive'),
    apply: (tx, { source }) => apply(tx, deps, source),
  });
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { id, kind, state, clientId, chunks }: Source,
): Promise<Applied<string | null>> {
  if (kind === 'memory') {
    throw new ServiceError('conflict', 'The source belongs to a memory; delete the memory instead');
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; delete the file instead');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'The source is already archived');
  await limitForgetting(tx);
  await archive(tx, id, config);
  return {
    result: await findRestorableUntil(tx, id, config),
    audit: [{ kind: 'memory.archive', subjectType: 'source', subjectId: id, clientId, detail: { chunks } }],
    enqueue: () => enqueueIndexing(tx, queue, config, []),
  };
}
