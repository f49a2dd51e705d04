import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { insertChunks, type NewChunk } from '../../db/queries/memory/chunks.ts';
import {
  activateSource,
  countPendingChunks,
  deleteLoadingSource,
  findActiveSource,
  insertLoadingSource,
  lockSource,
  type NewSource,
  replaceSource,
  type SourceField,
  updateSourceFields,
} from '../../db/queries/memory/sources.ts';
import { newId } from '../../shared/ids.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import type { PreparedChunk } from '../../shared/text/prepared-chunks.ts';

/** All chunks of a source, or portions of them in order, which are iterated once. */
export type ChunkSequence = readonly NewChunk[] | AsyncIterable<readonly NewChunk[]>;

/** Prepared chunks, each with the vector that came with it, in their order; null where none came. */
export function withEmbeddings(
  prepared: PreparedSource,
  embeddings: readonly (Float32Array | null)[] = [],
): ChunkSequence {
  const join = (chunks: readonly PreparedChunk[], from: number) =>
    chunks.map((chunk, index): NewChunk => ({ ...chunk, embedding: embeddings[from + index] ?? null }));
  if ('length' in prepared) return join(prepared, 0);
  return {
    async *[Symbol.asyncIterator]() {
      let from = 0;
      for await (const portion of prepared) {
        yield join(portion, from);
        from += portion.length;
      }
    },
  };
}

/** A document about to be stored: what it is, and its chunks. */
export interface SourceDraft extends Omit<NewSource, 'id'> {
  chunks: ChunkSequence;
  /** Of the chunks' vectors. */
  model: string;
}

/** How many chunks the transaction that commits a draft writes at most: it holds locks while it writes. */
const CHUNKS_OF_SMALL = { postgres: 100, pglite: 50 };
/** Chunks that a transaction before it writes. With the embedded database everyone else waits for it to end. */
const CHUNKS_A_TRANSACTION = { postgres: 250, pglite: 50 };

/** How many chunks of a source are written, and how many of these have a vector. */
interface WrittenCounts {
  chunks: number;
  embedded: number;
}

/** A draft on its way: its chunks are written already if they are many. */
export interface StagedSource {
  source: NewSource;
  /** Of the chunks' vectors. */
  model: string;
  /** Null: the chunks are few, or the text is stored already. */
  written: WrittenCounts | null;
  /** The chunks that are not written. */
  unwritten: ChunkSequence;
}

/**
 * Writes the chunks of a large draft, batch by batch, under a source that no one sees yet. A small draft waits
 * for `commitSource`. Portions of chunks are asked for as they are written, and none where the text is stored already.
 * If the process dies in between, upkeep removes what was written.
 * @param tell hears how many chunks are written. What it throws breaks the staging off, at once: what was written is
 *   left to upkeep
 */
export async function stageSource(
  database: Database,
  scope: TeamScope,
  draft: SourceDraft,
  tell: (written: number) => void = () => undefined,
): Promise<StagedSource> {
  const { chunks, model, ...fields } = draft;
  const source: NewSource = { ...fields, id: newId() };
  const staged: StagedSource = { source, model, written: null, unwritten: chunks };
  if ('length' in chunks && chunks.length <= CHUNKS_OF_SMALL[database.backend]) return staged;
  // A large text that is there already is not written only to be thrown away.
  if (await isStored(database, scope, source)) return staged;
  for await (const written of writeAhead(database, scope, staged)) tell(written);
  return staged;
}

/**
 * Writes what is not written, unless it turns out to be small. Yields how many chunks are written, after each batch.
 * What it has written is discarded if it fails, and stays if its caller breaks the iteration off.
 */
async function* writeAhead(
  database: Database,
  scope: TeamScope,
  staged: StagedSource,
): AsyncGenerator<number, void> {
  const { backend } = database;
  try {
    for await (const { batch, isLast } of batchesOf(staged.unwritten, CHUNKS_A_TRANSACTION[backend])) {
      if (staged.written === null && isLast && batch.length <= CHUNKS_OF_SMALL[backend]) {
        staged.unwritten = batch;
        return;
      }
      const written = (staged.written ??= { chunks: 0, embedded: 0 });
      await transaction(database, scope, (tx) => writeBatch(tx, staged, written, batch));
      yield written.chunks;
    }
    staged.unwritten = [];
  } catch (error) {
    await discardSource(database, scope, staged);
    throw error;
  }
}

/** Chunks in batches of `size`; the last one can be smaller, and is there even if there are no chunks. */
async function* batchesOf(
  chunks: ChunkSequence,
  size: number,
): AsyncGenerator<{ batch: readonly NewChunk[]; isLast: boolean }, void> {
  let rest: readonly NewChunk[] = [];
  for await (const portion of 'length' in chunks ? [chunks] : chunks) {
    rest = rest.length === 0 ? portion : [...rest, ...portion];
    let start = 0;
    for (; rest.length - start > size; start += size) {
      yield { batch: rest.slice(start, start + size), isLast: false };
    }
    rest = rest.slice(start);
  }
  yield { batch: rest, isLast: true };
}

/** Writes the next chunks of a source, with the first of them the source itself, and adds them to `written`. */
async function writeBatch(
  tx: TeamTransaction,
  { source, model }: StagedSource,
  written: WrittenCounts,
  batch: readonly NewChunk[],
): Promise<void> {
  if (written.chunks === 0) await insertLoadingSource(tx, source);
  await insertChunks(tx, { ...source, model }, batch, written.chunks);
  written.chunks += batch.length;
  written.embedded += batch.filter((chunk) => chunk.embedding !== null).length;
}

async function isStored(database: Database, scope: TeamScope, source: NewSource): Promise<boolean> {
  const present = await transaction(database, scope, (tx) => findActiveSource(tx, source));
  return present?.contentHash.equals(source.contentHash) === true;
}

/** Removes what was written of a staged source that came to nothing. */
export async function discardSource(
  database: Database,
  scope: TeamScope,
  staged: StagedSource,
): Promise<void> {
  if (staged.written === null) return;
  // Upkeep removes what this cannot: a fault here must not hide the outcome that led to it.
  await transaction(database, scope, (tx) => deleteLoadingSource(tx, staged.source.id)).catch(
    () => undefined,
  );
}

/**
 * What became of a draft: stored as a new source, put in the place of an older text, already there, or there with
 * other fields, which are updated now.
 */
export type StoredDraft = { source: Source; embedded: number } & (
  | { outcome: 'created' | 'replaced' | 'duplicate' }
  | { outcome: 'updated'; updated: SourceField[] }
);

/** Makes a staged source the one that everyone sees, in the transaction of whatever else makes it true. */
export async function commitSource(tx: TeamTransaction, staged: StagedSource): Promise<StoredDraft> {
  const { source } = staged;
  await lockSource(tx, source);
  const present = await findActiveSource(tx, source);
  if (present?.contentHash.equals(source.contentHash)) {
    if (staged.written !== null) await deleteLoadingSource(tx, source.id);
    const pending = await countPendingChunks(tx, present.source.id);
    const embedded = present.source.chunks - pending;
    // Only an external id says that it is this source that is meant, and not another one of the same text.
    const changed =
      source.externalId === null ? null : await updateSourceFields(tx, present.source.id, source);
    if (changed !== null) return { outcome: 'updated', embedded, ...changed };
    return { outcome: 'duplicate', source: present.source, embedded };
  }
  const { chunks, embedded } = staged.written ?? (await writeWhole(tx, staged));
  if (present !== null) {
    const stored = await replaceSource(tx, present.source.id, source, chunks);
    return { outcome: 'replaced', source: stored.source, embedded };
  }
  const stored = await activateSource(tx, source.id, chunks);
  return { outcome: 'created', source: stored.source, embedded };
}

/** Writes all chunks in one transaction: few, or those of a text that is not stored any longer. */
async function writeWhole(tx: TeamTransaction, staged: StagedSource): Promise<WrittenCounts> {
  const written = { chunks: 0, embedded: 0 };
  for await (const { batch } of batchesOf(staged.unwritten, CHUNKS_A_TRANSACTION.postgres)) {
    await writeBatch(tx, staged, written, batch);
  }
  return written;
}
