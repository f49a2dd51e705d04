import type { TeamTransaction } from '../../../db/driver/database.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import {
  archiveSources as archive,
  countSourcesToArchive,
  lockSourcesToArchive,
  type SourcesToArchive,
} from '../../../db/queries/library/archive.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { parseTag } from '../../../shared/formats/tags.ts';
import { parseTime } from '../../../shared/formats/times.ts';
import { type ArchiveFilter, MAX_ARCHIVED_AT_ONCE } from '../../../shared/schemas/library.ts';
import { clientOf, narrowToClient, requireRight, type TeamScope } from '../../../shared/scope.ts';
import { assertActive, lockTeamForWrite, writableLayersNow } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { enqueueIndexing } from '../enqueue-indexing.ts';

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
      await archive(
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
