import type { Layers } from '../../../shared/access.ts';
import type { SimilarMemory } from '../../../shared/schemas/memories.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { TERMS_VERSION } from '../../../shared/text/terms/terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { containsText, isActive, isCreatedBefore, wireTime } from '../common.ts';
import { settleFeedback } from '../feedback.ts';
import { findSourceNames } from './changes.ts';
import { deleteChunks } from './chunks.ts';
import { lockSourceNames, type NewSource, SOURCE_COLUMNS, type SourceRow, toStored } from './sources.ts';

/** For how long archived sources can be restored, and the model of the service. */
interface Keeping {
  /** 0: not at all. */
  archiveDays: number;
  embeddingModel: string;
}

/** Chunks that one statement moves. Each statement has a time limit. */
const MAX_CHUNKS_PER_STATEMENT = 1000;

/**
 * Moves the chunks of sources, with their terms, vectors and sketches, to where only `restoreKeptSource` finds them. Skips
 * memories and workspace files.
 */
async function keepSources(
  tx: TeamTransaction,
  ids: readonly string[],
  { embeddingModel }: Keeping,
): Promise<void> {
  await tx.query('select memory.keep_sources($1)', [ids]);
  for (let moved = MAX_CHUNKS_PER_STATEMENT; moved === MAX_CHUNKS_PER_STATEMENT; ) {
    const [row] = await tx.query<{ moved: number }>('select memory.keep_chunks($1, $2, $3) as moved', [
      ids,
      embeddingModel,
      MAX_CHUNKS_PER_STATEMENT,
    ]);
    moved = row?.moved ?? 0;
  }
}

/**
 * Moves the kept chunks of a source back, with their terms and vectors, and its sketch. A chunk without a vector of the
 * service's model becomes pending. Call `memory.lock_kept_source` before.
 * @returns how many chunks there were, and how many of them are pending
 */
export async function restoreKeptSource(
  tx: TeamTransaction,
  id: string,
  { embeddingModel }: Keeping,
): Promise<{ chunks: number; pending: number }> {
  const total = { chunks: 0, pending: 0 };
  for (let last = MAX_CHUNKS_PER_STATEMENT; last === MAX_CHUNKS_PER_STATEMENT; total.chunks += last) {
    const [row] = await tx.query<{ moved: number; pending: number }>(
      'select r.moved, r.pending from memory.restore_chunks($1, $2, $3) r',
      [id, embeddingModel, MAX_CHUNKS_PER_STATEMENT],
    );
    last = row?.moved ?? 0;
    total.pending += row?.pending ?? 0;
  }
  await tx.query('select memory.end_restore($1)', [id]);
  return total;
}

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
  and ${isCreatedBefore('s', '$6')}`;

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

/**
 * Deletes a source that belongs to no memory or workspace file, with everything that has its text. Lock the source before.
 * @returns the imports that it was made of, which are deleted too
 */
export async function purgeSource(tx: TeamTransaction, id: string): Promise<string[]> {
  const [row] = await tx.query<{ imports: string[] | null }>('select memory.purge_source($1) as imports', [
    id,
  ]);
  if (row?.imports == null) throw new Error('the source to purge does not exist');
  return row.imports;
}

/** What was deleted with a memory. */
export interface PurgedMemory {
  version: number;
  sourceId: string | null;
  /** The captures that only this memory was made of. */
  captureIds: string[];
}

/**
 * Deletes a memory with its versions and its source, and with everything else that has its text.
 * @returns null if the memory does not exist
 */
export async function purgeMemory(tx: TeamTransaction, id: string): Promise<PurgedMemory | null> {
  const [row] = await tx.query<PurgedMemory>(
    `select p.version, p.source_id as "sourceId", p.captures as "captureIds" from memory.purge_memory($1) p`,
    [id],
  );
  return row ?? null;
}

/** Returns which of these captures are in the layers. */
export async function findCapturesIn(
  tx: TeamTransaction,
  ids: readonly string[],
  layers: Layers,
): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ id: string }>(
    `select c.id from memory.capture c
      where c.team_id = $1 and c.layer_id = any ($2::uuid[])
        and c.id = any ($3::uuid[])`,
    [tx.scope.teamId, layers, ids],
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * Returns those of these memories that exist and are not locked by another transaction. Locks them until this transaction
 * ends, which stores the answer with their excerpts. A purge waits for the lock, and then deletes the answer.
 */
export async function lockSimilarMemories(
  tx: TeamTransaction,
  similar: readonly SimilarMemory[],
): Promise<SimilarMemory[]> {
  if (similar.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    // A memory that another transaction has locked is skipped. To wait for it could be a deadlock.
    `select m.id from memory.memory_item m where m.team_id = $1 and m.id = any ($2::uuid[])
        for key share skip locked`,
    [tx.scope.teamId, similar.map(({ memoryId }) => memoryId)],
  );
  const left = new Set(rows.map(({ id }) => id));
  return similar.filter(({ memoryId }) => left.has(memoryId));
}

/** A record that has expired and is not archived yet: a source, a memory with its source, or a memory in review. */
export interface DueRecord {
  sourceId: string | null;
  memoryId: string | null;
  /** The version of the memory; null for a source without one. */
  version: number | null;
  /** The number of chunks of the source. */
  chunks: number;
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

/**
 * Locks the names of a source as `lockSourceNames` does, and the due sources that it would repeat. Call it before the source is
 * locked: a request that stores a source locks its names first, and a purge of a due source locks it before its copies.
 */
export async function lockNamesOf(tx: TeamTransaction, id: string): Promise<void> {
  const names = await findSourceNames(tx, id);
  if (names === null) return;
  await lockSourceNames(tx, names);
  await lockDueRepeats(tx, names);
}

/**
 * Makes an archived source active again. Its chunks must be restored in the same transaction.
 * @returns the source, and whether its terms were made by an earlier version
 */
export async function activateRestored(
  tx: TeamTransaction,
  id: string,
  chunks: number,
): Promise<{ source: Source; isOutdated: boolean }> {
  const [row] = await tx.query<SourceRow & { isOutdated: boolean }>(
    `update memory.source s set state = 'active', chunk_count = $3, same_as = null, updated_at = now()
      where s.team_id = $1 and s.id = $2 and s.state = 'archived'
      returning ${SOURCE_COLUMNS}, s.terms_version < ${TERMS_VERSION} as "isOutdated"`,
    [tx.scope.teamId, id, chunks],
  );
  if (row === undefined) throw new Error('the source to restore is not archived');
  const { isOutdated, ...source } = row;
  return { source: toStored(source).source, isOutdated };
}

/** Returns until when a source that this transaction has archived can be restored. Null: it cannot be. */
export async function findRestorableUntil(
  tx: TeamTransaction,
  sourceId: string,
  { archiveDays }: Pick<Keeping, 'archiveDays'>,
): Promise<string | null> {
  if (archiveDays === 0) return null;
  const [row] = await tx.query<{ until: Date }>(
    `select least(now() + make_interval(days => $3), s.expires_at) as until
       from memory.source s where s.team_id = $1 and s.id = $2`,
    [tx.scope.teamId, sourceId, archiveDays],
  );
  return row === undefined ? null : wireTime(row.until);
}

/**
 * Whether a discarded memory was withdrawn by the credential of the scope: by its agent token, or by the person or one of
 * their tokens.
 */
export async function isOwnWithdrawal(tx: TeamTransaction, memoryId: string): Promise<boolean> {
  const [last] = await tx.query<{ own: boolean }>(
    `select e.detail @> '{"withdrawn": true}' and e.actor_id = $3 and ($4::uuid is null or e.token_id = $4) as own
       from memory.audit_event e
      where e.company_id = $1 and e.subject_id = $2 and e.kind = 'memory.discard'
      order by e.id desc limit 1`,
    [tx.scope.companyId, memoryId, tx.scope.userId, tx.scope.tokenId],
  );
  return last?.own === true;
}
