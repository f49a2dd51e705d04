import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction, WorkerTransaction } from '../../driver/database.ts';
import type { NewSource } from './sources.ts';

/** A record that has expired and is not archived yet: a source, a memory with its source, or a memory in review. */
export interface DueRecord {
  sourceId: string | null;
  memoryId: string | null;
  /** The version of the memory; null for a source without one. */
  version: number | null;
  /** The number of chunks of the source. */
  chunks: number;
}

/** Lists the layers, in all Teams, that have records to archive because they have expired. */
export function listDueLayers(
  tx: WorkerTransaction,
): Promise<{ companyId: string; teamId: string; layerId: LayerId }[]> {
  return tx.query(
    `select company_id as "companyId", team_id as "teamId", layer_id as "layerId" from memory.due_layers()`,
  );
}

/**
 * The three kinds of due records of a layer. A memory is locked before its source, as decisions do. A record that another
 * transaction has locked is skipped. The expiry of the memory itself is compared too: of a row that was changed while it
 * was waited for, PostgreSQL compares only the locked table again.
 */
const DUE_RECORDS = [
  `select s.id as "sourceId", m.id as "memoryId", m.version, s.chunk_count as chunks
     from memory.source s
     join memory.memory_item m on m.team_id = s.team_id and m.source_id = s.id and m.state = 'published'
    where s.team_id = $1 and s.layer_id = $2 and s.state = 'active' and s.kind = 'memory'
      and memory.is_due(s.expires_at) and memory.is_due(m.expires_at)
    order by s.expires_at limit $3 for update of m skip locked`,
  `select s.id as "sourceId", null::uuid as "memoryId", null::int as version, s.chunk_count as chunks
     from memory.source s
    where s.team_id = $1 and s.layer_id = $2 and s.state = 'active' and s.kind <> 'memory'
      and memory.is_due(s.expires_at)
    order by s.expires_at limit $3 for update skip locked`,
  `select null::uuid as "sourceId", m.id as "memoryId", m.version, 0 as chunks
     from memory.memory_item m
    where m.team_id = $1 and m.layer_id = $2 and m.state = 'review'
      and memory.is_due(m.expires_at)
    order by m.expires_at limit $3 for update skip locked`,
] as const;

/** Locks due records of a layer, at most `limit`. */
export async function lockDueRecords(
  tx: TeamTransaction,
  layerId: LayerId,
  limit: number,
): Promise<DueRecord[]> {
  const records: DueRecord[] = [];
  for (const statement of DUE_RECORDS) {
    if (records.length === limit) break;
    records.push(
      ...(await tx.query<DueRecord>(statement, [tx.scope.teamId, layerId, limit - records.length])),
    );
  }
  return records;
}

/**
 * Locks the due sources that a new source would repeat if they were active: those of its layer with its external id, or
 * with its text. Lock the source's names before.
 */
export function lockDueRepeats(
  tx: TeamTransaction,
  { layerId, externalId, contentHash }: Pick<NewSource, 'layerId' | 'externalId' | 'contentHash'>,
): Promise<DueRecord[]> {
  return tx.query(
    `select s.id as "sourceId", null::uuid as "memoryId", null::int as version, s.chunk_count as chunks
       from memory.source s
      where s.team_id = $1 and s.layer_id = $2 and s.state = 'active'
        and memory.is_due(s.expires_at) and s.kind not in ('memory', 'file')
        and (s.content_hash = $4 or s.external_id = $3)
      order by s.id for update`,
    [tx.scope.teamId, layerId, externalId, contentHash],
  );
}

/** Finds a locked memory that has expired and is not archived yet, with its layer; null if it is not such a memory. */
export async function findDueMemory(
  tx: TeamTransaction,
  id: string,
): Promise<(DueRecord & { memoryId: string; layerId: LayerId }) | null> {
  const [row] = await tx.query<DueRecord & { memoryId: string; layerId: LayerId }>(
    `select s.id as "sourceId", m.id as "memoryId", m.version, coalesce(s.chunk_count, 0) as chunks, m.layer_id as "layerId"
       from memory.memory_item m
       left join memory.source s on s.team_id = m.team_id and s.id = m.source_id and s.state = 'active'
      where m.team_id = $1 and m.id = $2 and m.state in ('review', 'published') and memory.is_due(m.expires_at)`,
    [tx.scope.teamId, id],
  );
  return row ?? null;
}

/** Archives a due memory. It is no decision: who decided last, and the version, stay. Archive its source too. */
export async function archiveDueMemory(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query(
    `update memory.memory_item set state = 'archived', embedding = null, embedding_model = null, updated_at = now()
      where team_id = $1 and id = $2`,
    [tx.scope.teamId, id],
  );
}
