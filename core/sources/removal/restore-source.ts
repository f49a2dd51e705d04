import type { TeamTransaction } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import { restoreKeptSource } from '../../../db/queries/library/kept-sources.ts';
import { activateRestored, lockNamesOf } from '../../../db/queries/library/restore.ts';
import type { StoredSource } from '../../../db/queries/memory/source-rows.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { isPast } from '../../../shared/formats/times.ts';
import type { Source } from '../../../shared/schemas/memory.ts';
import { layerOf, type TeamScope } from '../../../shared/scope.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { enqueueIndexing } from '../enqueue-indexing.ts';
import { lockSourceForChange } from '../lock-source.ts';
import { makeWay } from './make-way.ts';

type Needed = Pick<Dependencies, 'database' | 'queue' | 'config'>;

/**
 * Restores an archived source as it was, with its chunks, terms and vectors. Feedback that was settled stays settled.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller can write to the
 *   layer of the source and has created it or has Full access; `team_archived`; `conflict` if the source belongs to a
 *   memory or a workspace file, has expired, is active, was archived more than `archiveDays` ago, or if the layer has an
 *   active source with its text or its external id; `quota_exceeded`
 */
export function restoreSource(deps: Needed, scope: TeamScope, id: string): Promise<Source> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockSourceForChange(tx, id, 'restore', () => lockNamesOf(tx, id)),
    apply: (tx, stored) => apply(tx, deps, stored),
    quota: deps.config,
  });
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { source: { id, kind, state, clientId, externalId, expiresAt }, contentHash }: StoredSource,
): Promise<Applied<Source>> {
  if (kind === 'memory') {
    throw new ServiceError(
      'conflict',
      'The source belongs to a memory; restore a version of the memory instead',
    );
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; push the file again instead');
  }
  if (isPast(expiresAt))
    throw new ServiceError('conflict', 'The source has expired; store its text again instead');
  if (state === 'active')
    throw new ServiceError('conflict', 'The source is active; only an archived one can be restored');
  const kept = await call(tx, 'memory.lock_kept_source', id, config.archiveDays);
  if (kept === null) throw noLongerKept();
  const expired = await makeWay(tx, { layerId: layerOf(tx.scope, clientId), externalId, contentHash });
  const { chunks, pending } = await restoreKeptSource(tx, id, config);
  // A part was deleted when fewer days were set.
  if (chunks < kept) throw noLongerKept();
  const { source, isOutdated } = await activateRestored(tx, id, chunks);
  return {
    result: source,
    audit: [
      ...expired,
      { kind: 'memory.restore', subjectType: 'source', subjectId: id, clientId, detail: { chunks } },
    ],
    enqueue: () =>
      enqueueIndexing(
        tx,
        queue,
        config,
        pending > 0 ? [layerOf(tx.scope, clientId)] : [],
        isOutdated ? id : null,
      ),
  };
}

const noLongerKept = () =>
  new ServiceError('conflict', 'The text of the source is no longer stored; ingest or import it again');
