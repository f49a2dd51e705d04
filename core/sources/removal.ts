import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { call } from '../../db/queries/call.ts';
import { lockSource } from '../../db/queries/sources/lists.ts';
import {
  activateRestored,
  archiveSource as archiveRow,
  archiveSources as archiveRows,
  countSourcesToArchive,
  findRestorableUntil,
  lockNamesOf,
  lockSourcesToArchive,
  purgeSource as purge,
  restoreKeptSource,
  type SourcesToArchive,
} from '../../db/queries/sources/removal.ts';
import type { StoredSource } from '../../db/queries/sources/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTag } from '../../shared/formats/names.ts';
import { isPast, parseTime } from '../../shared/formats/times.ts';
import { type ArchiveFilter, MAX_ARCHIVED_AT_ONCE, type Source } from '../../shared/schemas/sources.ts';
import {
  clientOf,
  type LayerId,
  layerOf,
  narrowToClient,
  requireRight,
  type TeamScope,
} from '../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite, writableLayersNow } from '../access/lock-and-recheck.ts';
import { type Applied, type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { makeWay } from './expiry.ts';
import { enqueueIndexing } from './indexing.ts';
import { lockSourceForChange } from './lock.ts';

/** What an agent token without `memory:review` can archive and withdraw in the time window. */
const MAX_FORGOTTEN = 20;
const WINDOW_SECONDS = 60 * 60;

/**
 * Refuses to archive a source or to withdraw a memory if an agent token without `memory:review` has done it too often. An
 * agent that was misled by a text can so destroy only little before a person sees it. What the transaction records counts
 * if it is committed. Lock what is archived or withdrawn before.
 * @throws ServiceError `rate_limited`
 */
export async function limitForgetting(tx: TeamTransaction): Promise<void> {
  const { tokenId, tokenPermissions } = tx.scope;
  if (tokenId === null || tokenPermissions?.includes('memory:review') === true) return;
  const resetSeconds = await call(tx, 'memory.seconds_until_forget', MAX_FORGOTTEN, WINDOW_SECONDS);
  if (resetSeconds === 0) return;
  throw new ServiceError(
    'rate_limited',
    `An agent token without the permission memory:review can archive and withdraw ${MAX_FORGOTTEN} items in ` +
      `${WINDOW_SECONDS / 60} minutes; wait ${Math.ceil(resetSeconds / 60)} minutes, or ask a person to do it`,
    { limit: { max: MAX_FORGOTTEN, resetSeconds } },
  );
}

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
    apply: async (tx, { source }) => ({
      ...(await archiveLocked(tx, deps.config, source)),
      enqueue: () => enqueueIndexing(tx, deps.queue, deps.config, []),
    }),
  });
}

/**
 * Archives a locked source, as a part of a command. Call `enqueueIndexing` after it.
 * @returns until when it can be restored; null: it cannot be
 * @throws ServiceError `conflict`, `rate_limited`: see `archiveSource`
 */
export async function archiveLocked(
  tx: TeamTransaction,
  config: Needed['config'],
  { id, kind, state, clientId, chunks }: Source,
): Promise<Recorded<string | null>> {
  if (kind === 'memory') {
    throw new ServiceError('conflict', 'The source belongs to a memory; delete the memory instead');
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; delete the file instead');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'The source is already archived');
  await limitForgetting(tx);
  await archiveRow(tx, id, config);
  return {
    result: await findRestorableUntil(tx, id, config),
    audit: [{ kind: 'memory.archive', subjectType: 'source', subjectId: id, clientId, detail: { chunks } }],
  };
}

/**
 * Chunks that one request archives at most, unless the first source has more. On the embedded database, everyone else waits
 * for the transaction: it moves them to where they can be restored from, which takes about a second on two busy cores.
 */
const MAX_CHUNKS = { postgres: 50_000, pglite: 2000 };

/**
 * Archives the sources that a filter describes, the oldest first: at most 1,000, and fewer if they have very many chunks.
 * Repeat it until nothing is left.
 * @param dryRun only count all of them
 * @returns how many were archived, or would be
 * @throws ServiceError `invalid_request`, `scope_forbidden` for a client that the caller cannot reach; `unauthenticated`,
 *   `team_forbidden`, `full_access_required`, `team_archived`
 */
export async function archiveSources(
  { database, queue, config }: Pick<Dependencies, 'database' | 'queue' | 'config'>,
  scope: TeamScope,
  filter: ArchiveFilter,
  dryRun: boolean,
): Promise<number> {
  const which = parseFilter(filter);
  const { clientId } = filter;
  const narrowed = narrowToClient(scope, clientId);
  return runCommand(database, narrowed, {
    lock: (tx) => lockLayers(tx, clientId),
    apply: async (tx, layers) => {
      if (dryRun) return { result: await countSourcesToArchive(tx, { ...which, layers }), audit: [] };
      const found = await lockSourcesToArchive(tx, { ...which, layers }, MAX_ARCHIVED_AT_ONCE);
      const sources = firstOf(found, MAX_CHUNKS[database.backend]);
      if (sources.length === 0) return { result: 0, audit: [] };
      await archiveRows(
        tx,
        sources.map(({ id }) => id),
        config,
      );
      return {
        result: sources.length,
        audit: [archiveEvent(tx, sources, filter)],
        enqueue: () => enqueueIndexing(tx, queue, config, []),
      };
    },
  });
}

function parseFilter(filter: ArchiveFilter): Omit<SourcesToArchive, 'layers'> {
  if (Object.keys(filter).length === 0) {
    throw invalidField('/filter', 'must have kind, clientId, tag, q or createdBefore');
  }
  return {
    kind: filter.kind ?? null,
    tag: filter.tag === undefined ? null : parseTag(filter.tag, '/filter/tag'),
    text: filter.q ?? null,
    createdBefore: parseTime(filter.createdBefore, '/filter/createdBefore'),
  };
}

type FoundSource = Awaited<ReturnType<typeof lockSourcesToArchive>>[number];

/** The first sources that have at most so many chunks together, and at least one. */
function firstOf(sources: readonly FoundSource[], maxChunks: number): readonly FoundSource[] {
  let total = 0;
  const tooMany = sources.findIndex(({ chunks }, index) => {
    total += chunks;
    return index > 0 && total > maxChunks;
  });
  return tooMany < 0 ? sources : sources.slice(0, tooMany);
}

/** The layers of the scope that the caller can write now. */
async function lockLayers(tx: TeamTransaction, clientId: string | undefined) {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const layers = await writableLayersNow(tx, team, tx.scope.writes);
  if (clientId !== undefined && layers.length === 0) throw new ServiceError('scope_forbidden');
  assertActive(team);
  return layers;
}

/**
 * One event for all sources. If the sources are in several layers, the event has no layer. So an agent token that is limited
 * to clients does not list it, and does not see the ids of sources of other clients. The event has no texts of the filter,
 * because they can be content.
 */
function archiveEvent(
  { scope }: TeamTransaction,
  sources: readonly FoundSource[],
  given: ArchiveFilter,
): AuditEntry {
  const { kind, clientId, createdBefore } = given;
  const [first] = sources;
  const isOneLayer = first !== undefined && sources.every(({ layerId }) => layerId === first.layerId);
  return {
    kind: 'memory.archive',
    subjectType: 'source',
    subjectId: null,
    ...(isOneLayer ? { clientId: clientOf(scope, first.layerId) } : {}),
    detail: {
      sourceIds: sources.map(({ id }) => id),
      chunks: sources.reduce((sum, { chunks }) => sum + chunks, 0),
      filter: { kind, clientId, createdBefore },
    },
  };
}

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
    apply: async (tx, stored) => {
      const { layers, outdatedId, ...restored } = await restoreLocked(tx, deps.config, stored);
      return {
        ...restored,
        enqueue: () => enqueueIndexing(tx, deps.queue, deps.config, layers, outdatedId),
      };
    },
    quota: deps.config,
  });
}

/**
 * Restores a locked source whose names are locked, as a part of a command with a quota.
 * @returns also what `enqueueIndexing` needs, which must be called after it
 * @throws ServiceError `conflict`: see `restoreSource`
 */
export async function restoreLocked(
  tx: TeamTransaction,
  config: Needed['config'],
  { source: { id, kind, state, clientId, externalId, expiresAt }, contentHash }: StoredSource,
): Promise<Recorded<Source> & { layers: LayerId[]; outdatedId: string | null }> {
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
    layers: pending > 0 ? [layerOf(tx.scope, clientId)] : [],
    outdatedId: isOutdated ? id : null,
  };
}

const noLongerKept = () =>
  new ServiceError('conflict', 'The text of the source is no longer stored; ingest or import it again');

/**
 * Deletes a source for good, in any state: its chunks, the imports that it was made of with their files, and the stored
 * answers that contain it. Only audit events keep its id. Other sources with the same text stay.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`; `team_archived`;
 *   `conflict` if the source belongs to a memory or a workspace file
 */
export function purgeSource(deps: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockToPurge(tx, id),
    apply: (tx, source) => applyPurgeSource(tx, deps, source),
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

async function applyPurgeSource(
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
