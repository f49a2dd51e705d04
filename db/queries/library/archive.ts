import type { Layers } from '../../../shared/access.ts';
import type { Source } from '../../../shared/schemas/memory.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { settleFeedback } from '../feedback/feedback.ts';
import { isActive } from '../fragments/expiry.ts';
import { containsText } from '../fragments/text-filter.ts';
import { deleteChunks } from '../memory/chunks.ts';
import { type Keeping, keepSources } from './kept-sources.ts';

/** Which sources to archive. A field that is null does not restrict them. */
export interface SourcesToArchive {
  layers: Layers;
  kind: Source['kind'] | null;
  /** Normalized. */
  tag: string | null;
  /** Text that the title, the URI or the external id contains. */
  text: string | null;
  createdBefore: Date | null;
}

// A memory and a workspace file decide on their own sources.
const MATCHES = `s.team_id = $1 and s.layer_id = any ($2::uuid[])
  and ${isActive('s')} and s.kind in ('ingest', 'import') and ($3::text is null or s.kind = $3)
  and ($4::text is null or (s.tags @> array[$4::text] and s.tags <> '{}'))
  and ($5::text is null or ${containsText('s.title', '$5')} or ${containsText('s.uri', '$5')}
       or ${containsText('s.external_id', '$5')})
  and ($6::timestamptz is null or date_trunc('milliseconds', s.created_at) < $6)`;

const values = (tx: TeamTransaction, { layers, kind, tag, text, createdBefore }: SourcesToArchive) => [
  tx.scope.teamId,
  layers,
  kind,
  tag,
  text,
  createdBefore,
];

/** Counts the sources that can be archived. */
export async function countSourcesToArchive(tx: TeamTransaction, which: SourcesToArchive): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from memory.source s where ${MATCHES}`,
    values(tx, which),
  );
  return row?.count ?? 0;
}

/** Locks at most `limit` of these sources, the oldest first, until the transaction ends. */
export async function lockSourcesToArchive(
  tx: TeamTransaction,
  which: SourcesToArchive,
  limit: number,
): Promise<{ id: string; layerId: LayerId; chunks: number }[]> {
  return tx.query(
    `select s.id, s.layer_id as "layerId", s.chunk_count as chunks from memory.source s
      where ${MATCHES} order by s.id limit $7 for update`,
    [...values(tx, which), limit],
  );
}

/**
 * Archives an active source, deletes its chunks, with their terms and vectors, and settles the feedback on it.
 * @param keeping so that the source can be restored. Absent: nothing is kept
 */
export async function archiveSource(tx: TeamTransaction, sourceId: string, keeping?: Keeping): Promise<void> {
  await archiveSources(tx, [sourceId], keeping);
}

/** Archives active sources as `archiveSource` does. */
export async function archiveSources(
  tx: TeamTransaction,
  ids: readonly string[],
  keeping?: Keeping,
): Promise<void> {
  const keeps = keeping !== undefined && keeping.archiveDays > 0;
  const archived = await tx.query(
    `update memory.source set state = 'archived', chunk_count = 0, updated_at = now()
            ${keeps ? '' : ', original_sha256 = null, original_bytes = null, original_media_type = null'}
      where team_id = $1 and id = any ($2::uuid[]) and state = 'active' returning 1`,
    [tx.scope.teamId, ids],
  );
  if (archived.length < ids.length) throw new Error('a source to archive is not active');
  if (keeps) await keepSources(tx, ids, keeping);
  await deleteChunks(tx, ...ids);
  await settleFeedback(tx, ...ids);
  await tx.query('select memory.choose_first_copies($1)', [ids]);
}
