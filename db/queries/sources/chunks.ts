import { EMBEDDING_DIM } from '../../../shared/embeddings.ts';
import type { Moment } from '../../../shared/formats/times.ts';
import { newId } from '../../../shared/ids.ts';
import { yieldBetweenSteps } from '../../../shared/resources/async.ts';
import { type Chunk, NO_PLACE, type StoredPlace, storedPlace } from '../../../shared/schemas/sources.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { MAX_REPEATED_LENGTH } from '../../../shared/text/blocks.ts';
import { textHash } from '../../../shared/text/content-hash.ts';
import type { PreparedChunk } from '../../../shared/text/prepared-chunks.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../driver/wire-format.ts';
import { clientColumn, inScope, isActive, layerKind, occurredAt, scopeValues, wireTime } from '../common.ts';

/** A chunk to insert. The vector is of unit length and of the service's model. */
export interface NewChunk extends PreparedChunk {
  embedding: Float32Array | null;
}

/** Rows of one INSERT: enough to make round trips cheap, and few enough to keep each statement short. */
const MAX_ROWS_PER_STATEMENT = 100;

/**
 * Up to this size, the index of keys collects new keys in a list. Every search reads this list, so it is short. The
 * writer that makes it longer merges it into the index. The SQL functions that write keys have the same limit.
 */
const NEW_KEYS_KB = 512;

/**
 * The same for all but the last statement of an ingest. Merging many keys at once takes less time for each: those of 250
 * chunks take three quarters of the time that those of 128 chunks take.
 */
const MORE_NEW_KEYS_KB = 4096;

/** Inserts chunks of a source, with their terms and vectors, numbered from `firstOrdinal`. */
export async function insertChunks(
  tx: TeamTransaction,
  source: { id: string; layerId: LayerId; model: string; textForm?: object | null },
  chunks: readonly NewChunk[],
  firstOrdinal: number,
): Promise<void> {
  const isOneStatement = chunks.length <= MAX_ROWS_PER_STATEMENT;
  await setModes(tx, 'force_generic_plan', isOneStatement ? NEW_KEYS_KB : MORE_NEW_KEYS_KB);
  for (let start = 0; start < chunks.length; start += MAX_ROWS_PER_STATEMENT) {
    const isLast = start + MAX_ROWS_PER_STATEMENT >= chunks.length;
    if (isLast && !isOneStatement) await setModes(tx, 'force_generic_plan', NEW_KEYS_KB);
    const batch = chunks.slice(start, start + MAX_ROWS_PER_STATEMENT).map((chunk, index) => ({
      ...chunk,
      id: newId(),
      ordinal: firstOrdinal + start + index,
    }));
    await insertTexts(tx, source, batch);
    await insertKeywords(tx, source.layerId, batch);
    const embedded = batch.filter((chunk) => chunk.embedding !== null);
    if (embedded.length > 0) {
      await insertEmbeddings(
        tx,
        source.model,
        embedded.map((chunk) => ({
          chunkId: chunk.id,
          layerId: source.layerId,
          embedding: chunk.embedding!,
        })),
      );
    }
  }
  await setModes(tx, 'force_custom_plan', NEW_KEYS_KB);
}

/**
 * Sets until the transaction ends
 * - whether plans are cached or made for each statement. The foreign keys of each row of a chunk are checked. With a
 *   plan for each check, planning took as long as storing the row, and in a Team that is not in the statistics yet, the
 *   plan read all of its chunks. A cached plan must not scan the whole table, however small it was.
 * - how long the list of new keys can be: see `NEW_KEYS_KB`.
 */
function setModes(
  tx: TeamTransaction,
  plans: 'force_generic_plan' | 'force_custom_plan',
  newKeysKb: number,
): Promise<unknown> {
  return tx.query(
    `select set_config('plan_cache_mode', $1, true),
            set_config('enable_seqscan', case $1 when 'force_generic_plan' then 'off' else 'on' end, true),
            set_config('gin_pending_list_limit', $2, true)`,
    [plans, `${newKeysKb}kB`],
  );
}

type IdentifiedChunk = NewChunk & { id: string; ordinal: number };

/** Inserts the texts, and marks the chunks without a vector as pending. */
async function insertTexts(
  tx: TeamTransaction,
  source: { id: string; layerId: LayerId; textForm?: object | null },
  chunks: readonly IdentifiedChunk[],
): Promise<void> {
  const rows: object[] = [];
  const hasText = source.textForm != null && !('chunks' in source.textForm);
  const yieldIfDue = yieldBetweenSteps();
  for (const { id, ordinal, text, repeated, gap, place, embedding } of chunks) {
    rows.push({
      id,
      ordinal,
      text,
      place: storedPlace(place),
      gap: hasText ? gap : undefined,
      // What is repeated is not counted, so a false number would hide text from the quota.
      repeated: Math.min(repeated, MAX_REPEATED_LENGTH),
      // Made here, because a false hash would hide another chunk.
      text_hash: `\\x${textHash(text).toString('hex')}`,
      pending: embedding === null,
    });
    await yieldIfDue();
  }
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset($4::jsonb)
         as r (id uuid, ordinal int, text text, repeated int, place jsonb, gap text, text_hash bytea, pending boolean)
     ), stored as (
       insert into memory.chunk (team_id, layer_id, source_id, id, ordinal, text, repeated, place, gap, text_hash)
       select $1, $2, $3, g.id, g.ordinal, g.text, g.repeated, g.place, g.gap, g.text_hash from given g
     )
     insert into memory.embedding_pending (team_id, layer_id, chunk_id)
     select $1, $2, g.id from given g where g.pending`,
    [tx.scope.teamId, source.layerId, source.id, JSON.stringify(rows)],
  );
}

async function insertKeywords(
  tx: TeamTransaction,
  layerId: LayerId,
  chunks: readonly IdentifiedChunk[],
): Promise<void> {
  const values: unknown[] = [tx.scope.teamId, layerId];
  const rows = chunks.map(({ id, terms }) => {
    values.push(id, int4ArrayBinary(terms.keys), termsToSparsevecBinary(terms));
    const n = values.length;
    return `($1, $2, $${n - 2}::uuid, $${n - 1}::int4[], $${n}::sparsevec)`;
  });
  await tx.query(
    `insert into memory.chunk_keyword (team_id, layer_id, chunk_id, keys, weights) values ${rows.join(', ')}`,
    values,
  );
}

/** Inserts vectors of chunks. A chunk that has a vector of the model keeps it. */
export async function insertEmbeddings(
  tx: TeamTransaction,
  model: string,
  embeddings: readonly { chunkId: string; layerId: LayerId; embedding: Float32Array }[],
): Promise<void> {
  const values: unknown[] = [tx.scope.teamId, model];
  const rows = embeddings.map(({ chunkId, layerId, embedding }) => {
    values.push(chunkId, layerId, halfvecBinary(embedding));
    const n = values.length;
    return `($1::uuid, $2, $${n - 2}::uuid, $${n - 1}::uuid, $${n}::halfvec(${EMBEDDING_DIM}))`;
  });
  await tx.query(
    `insert into memory.chunk_embedding (team_id, model, chunk_id, layer_id, embedding)
     values ${rows.join(', ')} on conflict do nothing`,
    values,
  );
}

/** Deletes the chunks of sources, with their terms and vectors, and the sketches of their texts. */
export async function deleteChunks(tx: TeamTransaction, ...sourceIds: string[]): Promise<void> {
  await tx.query(
    `with sketch as (delete from memory.source_sketch where team_id = $1 and source_id = any ($2::uuid[]))
     delete from memory.chunk where team_id = $1 and source_id = any ($2::uuid[])`,
    [tx.scope.teamId, sourceIds],
  );
}

/** The field of a source's metadata with the title that an imported document contains. */
export const DOCUMENT_TITLE = 'documentTitle';

/** A chunk joined with its source: the columns of `CHUNK_COLUMNS`. */
export interface ChunkRow {
  chunk_id: string;
  source_id: string;
  title: string;
  uri: string | null;
  text: string;
  repeated: number;
  place: StoredPlace;
  ordinal: number;
  client_id: string | null;
  kind: Chunk['kind'];
  tags: string[];
  created_at: Date;
  occurred_at: Moment | null;
  document_title: string | null;
}

/** The columns of `ChunkRow`, of `memory.chunk c` and `memory.source s`. */
export const CHUNK_COLUMNS = `c.id as chunk_id, c.source_id, s.title, s.uri, c.text, c.repeated, c.place, c.ordinal, ${clientColumn('c')} as client_id,
  s.kind, s.tags, c.created_at, ${occurredAt('s', 'occurred_at')}, s.metadata ->> '${DOCUMENT_TITLE}' as document_title`;

/** Converts a row to a chunk as it is sent to clients, with what is not sent. */
export function toChunk(row: ChunkRow): Chunk {
  const { chunk_id, source_id, title, uri, text, repeated, ordinal, client_id, kind, tags } = row;
  return {
    chunk_id,
    source_id,
    title,
    uri,
    text,
    repeated,
    ordinal,
    layer: layerKind(client_id),
    client_id,
    kind,
    tags,
    created_at: wireTime(row.created_at),
    occurred_at: row.occurred_at,
    location: { document_title: row.document_title, ...NO_PLACE, ...row.place },
  };
}

/** Returns a chunk and its neighbours in the same source, in order. Empty if the chunk is not within the scope. */
export async function selectNearbyChunks(
  tx: TeamTransaction,
  chunkId: string,
  before: number,
  after: number,
): Promise<Chunk[]> {
  const rows = await tx.query<ChunkRow>(
    `select ${CHUNK_COLUMNS}
       from memory.chunk asked
       join memory.chunk c on c.team_id = asked.team_id and c.source_id = asked.source_id
        and c.ordinal between asked.ordinal - $4 and asked.ordinal + $5
       join memory.source s on s.team_id = c.team_id and s.id = c.source_id and ${isActive('s')}
      where asked.id = $3 and ${inScope('asked')} and ${inScope('c')}
      order by c.ordinal`,
    [...scopeValues(tx.scope), chunkId, before, after],
  );
  return rows.map(toChunk);
}
