import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import {
  findNearDuplicates,
  type SourceField,
  updateSourceFields,
} from '../../db/queries/sources/changes.ts';
import { insertChunks, type NewChunk } from '../../db/queries/sources/chunks.ts';
import { lockSource } from '../../db/queries/sources/lists.ts';
import {
  activateSource,
  countPendingChunks,
  deleteLoadingSource,
  insertLoadingSource,
  lockActiveSource,
  lockFirstCopy,
  lockSourceNames,
  type NewSource,
  replaceSource,
  type StoredSource,
} from '../../db/queries/sources/sources.ts';
import { newId } from '../../shared/ids.ts';
import { lowestOrigin } from '../../shared/origin.ts';
import type { SimilarSource, Source } from '../../shared/schemas/sources.ts';
import { requireChangeOf, type TeamScope } from '../../shared/scope.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import type { PreparedChunk } from '../../shared/text/prepared-chunks.ts';
import { SketchBuilder } from '../../shared/text/terms/sketch.ts';
import { archiveDueRepeats } from './expiry.ts';

/** All chunks of a source, or portions of them in order. Portions can be iterated only once. */
export type ChunkSequence = readonly NewChunk[] | AsyncIterable<readonly NewChunk[]>;

/**
 * Joins prepared chunks with the vectors that came with them.
 * @param embeddings one for each chunk, in their order; null, or missing, for a chunk without a vector
 */
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

/** A document that is to be stored, with its chunks. */
export interface SourceDraft extends Omit<NewSource, 'id'> {
  /** The source whose text it replaces, whatever its names. Absent: the one with its external id, if there is one. */
  replacesId?: string;
  chunks: ChunkSequence;
  /** Of the chunks' vectors. */
  model: string;
}

/** A draft with more chunks is staged: the transaction that commits it has locks, and must be short. */
const MAX_CHUNKS_TO_COMMIT = { postgres: 100, pglite: 50 };
/** For each transaction that stages chunks. On the embedded database, everyone else waits for it to end. */
const MAX_CHUNKS_PER_TRANSACTION = { postgres: 250, pglite: 50 };

/** How many chunks of a source have been written, and how many of these have a vector. */
interface WrittenCounts {
  chunks: number;
  embedded: number;
}

/** A draft that is ready to be committed. If it has many chunks, they have been written. */
export interface StagedSource {
  source: NewSource & Pick<SourceDraft, 'replacesId'>;
  /** Of the chunks' vectors. */
  model: string;
  /** Null if there are few chunks, or if the text is already stored. */
  written: WrittenCounts | null;
  /** The chunks that have not been written. */
  unwritten: ChunkSequence;
  /** Of the chunks that have been written. */
  sketch: SketchBuilder;
}

/**
 * Called with the number of chunks that are written.
 * @param deleteStaged deletes them. Deleting many takes seconds, so a run that must end first releases its job
 */
export type StagingReport = (written: number, deleteStaged: () => Promise<void>) => void;

/**
 * Writes the chunks of a large draft in batches, under a source that is not visible yet. A small draft is written by
 * `commitSource`. Portions of chunks are iterated as they are written, and not at all if the text is already stored.
 * If the process stops before the draft is committed, upkeep deletes what was written.
 * @param report called after each batch. If it throws, the staging stops at once, and it must call `deleteStaged` later
 */
export async function stageSource(
  database: Database,
  scope: TeamScope,
  draft: SourceDraft,
  report: StagingReport = () => undefined,
): Promise<StagedSource> {
  const { chunks, model, ...fields } = draft;
  const isFile = fields.kind === 'import' || fields.kind === 'file';
  const origin = isFile ? lowestOrigin(scope.origin, 'file') : scope.origin;
  const source = { ...fields, id: newId(), origin };
  const sketch = new SketchBuilder();
  const staged: StagedSource = { source, model, written: null, unwritten: chunks, sketch };
  if ('length' in chunks && chunks.length <= MAX_CHUNKS_TO_COMMIT[database.backend]) return staged;
  // A large text that is already stored would be written only to be deleted.
  if (await isStored(database, scope, source)) return staged;
  const deleteStaged = () => deleteStagedSource(database, scope, staged);
  for await (const written of writeAhead(database, scope, staged)) report(written, deleteStaged);
  return staged;
}

/**
 * Writes the unwritten chunks, unless they are few. Yields how many have been written, after each batch. If it fails, it
 * deletes what it has written; if the caller ends the iteration early, what was written stays.
 */
async function* writeAhead(
  database: Database,
  scope: TeamScope,
  staged: StagedSource,
): AsyncGenerator<number, void> {
  const { backend } = database;
  try {
    for await (const { batch, isLast } of batchesOf(staged.unwritten, MAX_CHUNKS_PER_TRANSACTION[backend])) {
      if (staged.written === null && isLast && batch.length <= MAX_CHUNKS_TO_COMMIT[backend]) {
        staged.unwritten = batch;
        return;
      }
      const written = (staged.written ??= { chunks: 0, embedded: 0 });
      await transaction(database, scope, (tx) => writeBatch(tx, staged, written, batch));
      yield written.chunks;
    }
    staged.unwritten = [];
  } catch (error) {
    await deleteStagedSource(database, scope, staged);
    throw error;
  }
}

/** Chunks in batches of `size`. The last one can be smaller. Without chunks there is one empty batch. */
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

/** Writes the next chunks of a source, and before the first of them the source. Adds them to `written`. */
async function writeBatch(
  tx: TeamTransaction,
  { source, model, sketch }: StagedSource,
  written: WrittenCounts,
  batch: readonly NewChunk[],
): Promise<void> {
  if (written.chunks === 0) await insertLoadingSource(tx, source);
  await insertChunks(tx, { ...source, model }, batch, written.chunks);
  for (const chunk of batch) sketch.add(chunk.sketch);
  written.chunks += batch.length;
  written.embedded += batch.filter((chunk) => chunk.embedding !== null).length;
}

/** Locks the source that a draft would repeat or replace. */
function lockPresent(tx: TeamTransaction, source: StagedSource['source']): Promise<StoredSource | null> {
  return source.replacesId === undefined ? lockActiveSource(tx, source) : lockSource(tx, source.replacesId);
}

async function isStored(
  database: Database,
  scope: TeamScope,
  source: StagedSource['source'],
): Promise<boolean> {
  const present = await transaction(database, scope, (tx) => lockPresent(tx, source));
  return present?.contentHash.equals(source.contentHash) === true;
}

/** Deletes what was written of a staged source that will not be committed. Does not fail. */
export async function deleteStagedSource(
  database: Database,
  scope: TeamScope,
  staged: StagedSource,
): Promise<void> {
  if (staged.written === null) return;
  // An error here would hide the one that led to it. Upkeep deletes what stays.
  await transaction(database, scope, (tx) => deleteLoadingSource(tx, staged.source.id)).catch(
    () => undefined,
  );
}

/**
 * The outcome of a draft: `created` as a new source; `replaced` the text of the source with its external id; `duplicate` of
 * a stored text; or `updated` other fields of the source that has its text.
 */
export type StoredDraft = {
  source: Source;
  embedded: number;
  similarSources: SimilarSource[];
  /** The events of due sources that were archived first, for the command to record. */
  expired: AuditEntry[];
} & ({ outcome: 'created' | 'replaced' | 'duplicate' } | { outcome: 'updated'; updated: SourceField[] });

/**
 * Makes a staged source visible, in the transaction that also records it.
 * @throws ServiceError `forbidden` if it would change the source with its external id, and the caller's agent token does not
 *   permit that
 */
export async function commitSource(tx: TeamTransaction, staged: StagedSource): Promise<StoredDraft> {
  const { source } = staged;
  await lockSourceNames(tx, source);
  // They count as archived, but would be found by the unique indexes.
  const expired = await archiveDueRepeats(tx, source);
  const present = await lockPresent(tx, source);
  const isNamed = source.externalId !== null || source.replacesId !== undefined;
  if (present?.contentHash.equals(source.contentHash)) {
    if (staged.written !== null) await deleteLoadingSource(tx, source.id);
    const pending = await countPendingChunks(tx, present.source.id);
    const stored = {
      embedded: present.source.chunks - pending,
      similarSources: await compareStored(tx, staged, present.source),
    };
    // Without an external id, the draft can be a different document with the same text.
    const changed = isNamed ? await updateSourceFields(tx, present.source.id, source) : null;
    if (changed !== null) {
      assertCanReplace(tx.scope, present.source);
      return { outcome: 'updated', ...stored, expired, ...changed };
    }
    return { outcome: 'duplicate', source: present.source, ...stored, expired };
  }
  if (present !== null && isNamed) assertCanReplace(tx.scope, present.source);
  const { chunks, embedded } = staged.written ?? (await writeWhole(tx, staged));
  if (present !== null) {
    const stored = await replaceSource(tx, present.source.id, source, chunks);
    return {
      outcome: 'replaced',
      source: stored.source,
      embedded,
      expired,
      similarSources: await compare(tx, staged, stored),
    };
  }
  const stored = await activateSource(tx, source.id, chunks, await findSameAs(tx, source));
  return {
    outcome: 'created',
    source: stored.source,
    embedded,
    expired,
    similarSources: await compare(tx, staged, stored),
  };
}

function assertCanReplace(scope: TeamScope, { createdBy }: Source): void {
  const advice = 'store the text under another externalId (in MCP: key)';
  requireChangeOf(scope, { author: createdBy, verb: 'change a source', advice });
}

/** Stores the sketch of a source whose chunks are all written, and finds its near duplicates. */
async function compare(
  tx: TeamTransaction,
  staged: StagedSource,
  { source }: { source: Source },
): Promise<SimilarSource[]> {
  const sketch = staged.sketch.finish();
  const { layerId } = staged.source;
  return sketch === null ? [] : findNearDuplicates(tx, { id: source.id, layerId }, sketch);
}

/**
 * Finds the near duplicates of the stored source that has the text of the draft. Its sketch is stored if the chunks of the
 * draft are at hand, because a source that was stored by an earlier version has none.
 */
function compareStored(
  tx: TeamTransaction,
  { sketch, unwritten, source: { layerId } }: StagedSource,
  { id }: Source,
): Promise<SimilarSource[]> {
  const source = { id, layerId };
  // Portions of chunks can be iterated only once, and making them takes long.
  if (!('length' in unwritten)) return findNearDuplicates(tx, source, null);
  for (const chunk of unwritten) sketch.add(chunk.sketch);
  return findNearDuplicates(tx, source, sketch.finish());
}

/** Of an imported file, the first source with its text, null without one; null for other sources. */
async function findSameAs(tx: TeamTransaction, source: NewSource): Promise<string | null> {
  if (source.filename === undefined) return null;
  // A source that is archived while it is waited for is skipped, and its successor is found only by the next statement.
  return (await lockFirstCopy(tx, source)) ?? (await lockFirstCopy(tx, source));
}

/** Writes all chunks in one transaction: few chunks, or those of a text that was deleted since it was staged. */
async function writeWhole(tx: TeamTransaction, staged: StagedSource): Promise<WrittenCounts> {
  const written = { chunks: 0, embedded: 0 };
  for await (const { batch } of batchesOf(staged.unwritten, MAX_CHUNKS_PER_TRANSACTION.postgres)) {
    await writeBatch(tx, staged, written, batch);
  }
  return written;
}
