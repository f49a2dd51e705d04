import type { SourceFields } from '../../../shared/text/fields.ts';
import type { ChunkTerms } from '../../../shared/text/terms/chunk-terms.ts';
import { TERMS_VERSION } from '../../../shared/text/terms.ts';
import type {
  Queryable,
  TeamTransaction,
  TeamWorkerTransaction,
  WorkerTransaction,
} from '../../driver/database.ts';
import { int4ArrayBinary, termsToSparsevecBinary } from '../../driver/wire-format.ts';
import { inScopeByKey, writeScopeValues } from '../fragments/layers.ts';
import { dateOf, dayInUtc } from '../fragments/occurred.ts';

/** Returns the Teams that have sources with outdated terms. */
export function outdatedTeams(tx: WorkerTransaction): Promise<{ companyId: string; teamId: string }[]> {
  return tx.query('select company_id as "companyId", team_id as "teamId" from memory.outdated_teams($1)', [
    TERMS_VERSION,
  ]);
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
