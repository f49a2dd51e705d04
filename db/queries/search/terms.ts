import type { LayerId } from '../../../shared/scope.ts';
import type { SourceFields } from '../../../shared/text/prepared-chunks.ts';
import { type ChunkTerms, TERMS_VERSION } from '../../../shared/text/terms/terms.ts';
import type {
  Database,
  Queryable,
  TeamTransaction,
  TeamWorkerTransaction,
  WorkerTransaction,
} from '../../driver/database.ts';
import {
  int4ArrayBinary,
  int4ArrayValues,
  sparsevecDims,
  termsToSparsevecBinary,
} from '../../driver/wire-format.ts';
import { dateOf, dayInUtc, inScopeByKey, writeScopeValues } from '../common.ts';
import { queryNamed } from '../query-named.ts';

/** A layer, and how many chunks it has. */
export interface LayerSize {
  layerId: LayerId;
  chunks: number;
}

/** The sample of a layer, next to the chunks that were counted: see `sample_changes`. */
export interface SampleChanges {
  sample: string[];
  /** For each chunk of the sample, the hash of its id. */
  hashes: number[];
  added: string[];
  dropped: string[];
  deleted: number;
  counted: number | null;
  gone: number | null;
  renewed: number | null;
  version: number | null;
}

/** Compares the sample of a layer, of at most `limit` chunks, with the chunks that were counted. */
export async function findSampleChanges(
  tx: TeamWorkerTransaction,
  layerId: LayerId,
  limit: number,
): Promise<SampleChanges> {
  const [row] = await tx.query<SampleChanges>('select * from memory.sample_changes($1, $2)', [
    layerId,
    limit,
  ]);
  if (row === undefined) throw new Error('sample_changes returned no row');
  return row;
}

/** The stored terms of a chunk: the dimensions of its weights, and its keys. */
export interface StoredTerms {
  chunkId: string;
  dims: Int32Array;
  keys: Int32Array;
}

/** Returns the terms of the given chunks of the Team, in no particular order. Deleted chunks are left out. */
export async function readStoredTerms(
  tx: TeamWorkerTransaction,
  chunkIds: readonly string[],
): Promise<StoredTerms[]> {
  const rows = await tx.query<{ chunkId: string; weights: Uint8Array; keys: Uint8Array }>(
    'select chunk_id as "chunkId", weights, keys from memory.stored_terms($1::uuid[])',
    [chunkIds],
  );
  return rows.map(({ chunkId, weights, keys }) => ({
    chunkId,
    dims: sparsevecDims(weights),
    keys: int4ArrayValues(keys),
  }));
}

/** The space of terms: dimensions of the weights, or keys. */
export type TermSpace = 'd' | 'k';

/** What the counts of a layer are added to. */
export interface LockedCounts {
  /** The place of the layer in the vector of a term. */
  place: number;
  dimShift: number;
  keyShift: number;
  onceDims: Uint8Array;
  onceKeys: Uint8Array;
}

/** Begins to store the counts of a layer. Returns null if they cannot be stored: see `lock_layer_counts`. */
export async function lockLayerCounts(
  tx: TeamWorkerTransaction,
  layerId: LayerId,
  version: number | null,
): Promise<LockedCounts | null> {
  const [row] = await tx.query<LockedCounts>(
    `select place, dim_shift as "dimShift", key_shift as "keyShift", once_dims as "onceDims", once_keys as "onceKeys"
       from memory.lock_layer_counts($1, $2)`,
    [layerId, version],
  );
  return row ?? null;
}

/** A row of `keyword_slice`, with parallel arrays. */
export interface PackedSlice {
  slice: number;
  terms: Int32Array;
  places: Int32Array;
  counts: Int32Array;
  /** In the text form of `sparsevec`. */
  vectors: string[];
}

/**
 * Returns slices of the Team: the given ones, and with `place` those in which the layer with that place has counts.
 * `all` returns every slice.
 */
export async function readSlices(
  tx: TeamWorkerTransaction,
  space: TermSpace,
  which: { slices: Int32Array; place: number | null } | 'all',
): Promise<PackedSlice[]> {
  const { slices, place } = which === 'all' ? { slices: new Int32Array(), place: null } : which;
  const rows = await tx.query<{
    slice: number;
    terms: Uint8Array;
    places: Uint8Array | null;
    counts: Uint8Array;
    vectors: string | null;
  }>('select * from memory.read_slices($1, $2::int[], $3, $4)', [
    space,
    int4ArrayBinary(slices),
    place,
    which === 'all',
  ]);
  return rows.map((row) => {
    const terms = int4ArrayValues(row.terms);
    return {
      slice: row.slice,
      terms,
      places: row.places === null ? new Int32Array(terms.length).fill(1) : int4ArrayValues(row.places),
      counts: int4ArrayValues(row.counts),
      vectors: row.vectors === null ? [] : row.vectors.split(' '),
    };
  });
}

/** Slices that one statement writes. */
const MAX_SLICES_PER_WRITE = 250;

/** Replaces slices of the Team. One without terms is deleted. */
export async function writeSlices(
  tx: TeamWorkerTransaction,
  space: TermSpace,
  slices: readonly PackedSlice[],
): Promise<void> {
  for (let start = 0; start < slices.length; start += MAX_SLICES_PER_WRITE) {
    const some = slices.slice(start, start + MAX_SLICES_PER_WRITE);
    await tx.query(
      'select memory.write_slices($1, $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::int[])',
      [
        space,
        some.map(({ slice }) => slice),
        some.map(({ terms }) => terms.length),
        some.map(({ vectors }) => vectors.join(' ')),
        int4ArrayBinary(joined(some.map(({ terms }) => terms))),
        int4ArrayBinary(joined(some.map(({ places }) => places))),
        int4ArrayBinary(joined(some.map(({ counts }) => counts))),
      ],
    );
  }
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What a layer's row says of its counts. */
export interface CountedLayer extends LayerSize {
  /** Chunks that are counted, with those that are gone. */
  sampled: number;
  /** Chunks that are counted and were deleted since. */
  gone: number;
  /** Of the chunks whose terms were made again since the last count, how many are counted with their new terms. */
  renewed: number;
  /** The hashes of the counted chunks that are not gone. */
  members: Int32Array;
}

/** Ends storing the counts of a layer. */
export async function endLayerCounts(
  tx: TeamWorkerTransaction,
  layer: CountedLayer,
  locked: Omit<LockedCounts, 'place'>,
): Promise<void> {
  await queryNamed(
    tx,
    `select memory.end_layer_counts($layerId, $chunks, $sampled, $gone, $renewed, $members::int[],
       $onceDims, $onceKeys, $dimShift, $keyShift)`,
    {
      layerId: layer.layerId,
      chunks: layer.chunks,
      sampled: layer.sampled,
      gone: layer.gone,
      renewed: layer.renewed,
      members: int4ArrayBinary(layer.members),
      onceDims: locked.onceDims,
      onceKeys: locked.onceKeys,
      dimShift: locked.dimShift,
      keyShift: locked.keyShift,
    },
  );
}

/**
 * Returns the Teams that have chunks but no word counts, among the next `limit` Teams in the order of their ids,
 * and the last of these Teams, which is null at the end.
 */
export async function uncountedTeams(
  tx: WorkerTransaction,
  after: string | null,
  limit: number,
): Promise<{ teams: { companyId: string; teamId: string }[]; last: string | null }> {
  const rows = await tx.query<{ companyId: string; teamId: string; uncounted: boolean }>(
    `select company_id as "companyId", team_id as "teamId", uncounted from memory.uncounted_teams($1, $2)`,
    [after, limit],
  );
  const teams = rows.flatMap(({ companyId, teamId, uncounted }) =>
    uncounted ? [{ companyId, teamId }] : [],
  );
  return { teams, last: rows.find(({ uncounted }) => !uncounted)?.teamId ?? null };
}

/** A source whose terms are outdated, with the fields that they are to be made with. */
export interface OutdatedSource {
  id: string;
  fields: SourceFields;
}

/** Returns a source of the Team whose terms are outdated, or null. */
export async function findOutdatedSource(tx: TeamWorkerTransaction): Promise<OutdatedSource | null> {
  const [row] = await tx.query<{ id: string } & SourceFields>(
    'select source_id as id, title, day as date, labels from memory.outdated_source($1)',
    [TERMS_VERSION],
  );
  if (row === undefined) return null;
  const { id, ...fields } = row;
  return { id, fields };
}

/** The text of a stored chunk. */
export interface ChunkText {
  id: string;
  ordinal: number;
  headings: string[];
  text: string;
  /** How many characters at the beginning of the text repeat the heading row of a table. */
  repeated: number;
}

/** Returns the chunks of an active source after an ordinal, in order, at most `limit`. */
export function readSourceTexts(
  tx: TeamWorkerTransaction,
  sourceId: string,
  after: number,
  limit: number,
): Promise<ChunkText[]> {
  return tx.query<ChunkText>(
    'select chunk_id as id, ordinal, headings, text, repeated from memory.source_texts($1, $2, $3)',
    [sourceId, after, limit],
  );
}

/** A stored chunk with its new terms. */
export interface ChunkWithTerms {
  id: string;
  terms: ChunkTerms;
  textHash: Buffer;
}

/**
 * Replaces the terms of chunks of a source, and stores the hash of each text that has none. Chunks that were deleted are
 * skipped.
 * @returns false, and changes nothing, if the source has other fields now or its terms are no longer outdated
 */
export async function replaceTerms(
  tx: TeamWorkerTransaction,
  { id: sourceId, fields }: OutdatedSource,
  chunks: readonly ChunkWithTerms[],
): Promise<boolean> {
  const [lock] = await tx.query<{ locked: boolean }>(
    'select memory.lock_source_terms($1, $2, $3, $4, $5) as locked',
    [sourceId, fields.title, fields.date, fields.labels, TERMS_VERSION],
  );
  if (lock?.locked !== true) return false;
  await replaceEach(tx, 'memory.replace_terms', chunks);
  return true;
}

async function replaceEach(
  tx: Queryable,
  call: 'memory.replace_terms' | 'memory.replace_writable_terms',
  chunks: readonly ChunkWithTerms[],
): Promise<void> {
  const values: unknown[] = [];
  const rows = chunks.map(({ id, terms, textHash }) => {
    values.push(id, int4ArrayBinary(terms.keys), termsToSparsevecBinary(terms), textHash);
    const n = values.length;
    return `($${n - 3}::uuid, $${n - 2}::int4[], $${n - 1}::sparsevec, $${n}::bytea)`;
  });
  await tx.query(
    `select ${call}(g.id, g.keys, g.weights, g.text_hash)
       from (values ${rows.join(', ')}) as g (id, keys, weights, text_hash)`,
    values,
  );
}

/** Ends making the terms of a source: it is no longer outdated, if it still has these fields. */
export async function endSourceTerms(
  tx: TeamWorkerTransaction,
  { id, fields }: OutdatedSource,
  chunks: number,
): Promise<void> {
  await tx.query('select memory.end_source_terms($1, $2, $3, $4, $5, $6)', [
    id,
    fields.title,
    fields.date,
    fields.labels,
    chunks,
    TERMS_VERSION,
  ]);
}

/** A source with outdated terms, with all of its chunks. */
export interface SmallOutdatedSource extends OutdatedSource {
  chunks: Omit<ChunkText, 'ordinal'>[];
}

/**
 * Returns a source of a layer that the scope can write, with its chunks, if its terms are outdated and it has chunks, at
 * most `mostChunks`; otherwise null. Lock the source before.
 */
export async function findSmallOutdatedSource(
  tx: TeamTransaction,
  sourceId: string,
  mostChunks: number,
): Promise<SmallOutdatedSource | null> {
  const rows = await tx.query<Omit<ChunkText, 'ordinal'> & SourceFields>(
    `select s.title, ${dayInUtc(dateOf('s'))}::text as date,
            memory.source_labels(s.tags, s.kind, s.metadata) as labels,
            c.id, coalesce(c.place -> 'headings', '[]') as headings, c.text, c.repeated
       from memory.source s join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
      where ${inScopeByKey('s')} and s.id = $3 and s.state = 'active' and s.terms_version < $4 limit $5`,
    [...writeScopeValues(tx.scope), sourceId, TERMS_VERSION, mostChunks + 1],
  );
  const [first] = rows;
  if (first === undefined || rows.length > mostChunks) return null;
  const { title, date, labels } = first;
  const chunks = rows.map(({ id, headings, text, repeated }) => ({ id, headings, text, repeated }));
  return { id: sourceId, fields: { title, date, labels }, chunks };
}

/** Replaces the terms of all chunks of a source, so that they are no longer outdated. */
export async function renewSourceTerms(
  tx: TeamTransaction,
  { id, fields }: OutdatedSource,
  chunks: readonly ChunkWithTerms[],
): Promise<void> {
  await replaceEach(tx, 'memory.replace_writable_terms', chunks);
  await tx.query('select memory.end_writable_terms($1, $2, $3, $4, $5, $6)', [
    id,
    fields.title,
    fields.date,
    fields.labels,
    chunks.length,
    TERMS_VERSION,
  ]);
}

/** The tables that a search reads. */
export const SEARCHED = [
  'source',
  'chunk',
  'chunk_keyword',
  'chunk_embedding',
  'keyword_slice',
  'keyword_layer',
  'keyword_team',
] as const;

/**
 * With fewer chunks, no statistics are made. If the planner knows that a table has one row, all its indexes cost the
 * same, and the plan that checks the foreign key of each new chunk can read all chunks of the Team. That plan is
 * cached: a text of 31 MiB then took minutes. Without statistics the planner assumes more rows, and looks each chunk
 * up.
 */
const FEW_CHUNKS = 100;

/**
 * Updates the statistics and the visibility maps of the tables that a search reads. PostgreSQL does this by itself. The
 * embedded database has no autovacuum, and without this its searches took five times as long.
 */
export async function renewStatistics(database: Database): Promise<void> {
  if (database.backend !== 'pglite') return;
  const chunks = await database.query('select from memory.chunk limit $1', [FEW_CHUNKS]);
  if (chunks.length < FEW_CHUNKS) return;
  // A target of 10 samples 3,000 rows. Searches are as fast as with 30,000 rows, which block other requests for a
  // second.
  await database.query(`select set_config('default_statistics_target', '10', false)`);
  // One by one and without a transaction, so that other requests are answered in between.
  for (const table of SEARCHED) {
    await database.query(`analyze memory.${table}`);
    await database.query(`vacuum memory.${table}`);
  }
}
