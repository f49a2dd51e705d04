import type { TeamTransaction } from '../../db/driver/database.ts';
import { insertSketch } from '../../db/queries/library/similar-sources.ts';
import { deleteChunks, insertChunks, type NewChunk } from '../../db/queries/memory/chunks.ts';
import { reactivateSource, retitleSource } from '../../db/queries/memory/source-fields.ts';
import { activateSource, insertLoadingSource } from '../../db/queries/memory/sources.ts';
import type { Moment } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import type { Origin } from '../../shared/origin.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import { type LayerId, layerOf } from '../../shared/scope.ts';
import type { PreparedContent } from '../../shared/text/memory-content.ts';
import { SketchBuilder } from '../../shared/text/terms/sketch.ts';

/** The text of a memory that is to be published. */
export interface MemoryText {
  layerId: LayerId;
  title: string;
  metadata: Record<string, unknown>;
  tags: readonly string[];
  /** When it happened. Null or absent: unknown. */
  occurredAt?: Moment | null;
  /** Null or absent: never. */
  expiresAt?: Date | null;
  prepared: PreparedContent;
  /** Of unit length. Stored only if the content makes one chunk, because it describes the whole content. */
  embedding: Float32Array | null;
  model: string;
  /** Absent: that of the scope. A source that had a text before keeps its origin then. */
  origin?: Origin;
}

/** A stored text: how many chunks it has, and how many of them have a vector. */
export interface StoredText {
  sourceId: string;
  chunks: number;
  embedded: number;
}

function newChunks({ prepared, embedding }: Pick<MemoryText, 'prepared' | 'embedding'>): NewChunk[] {
  const whole = prepared.chunks.length === 1 ? embedding : null;
  return prepared.chunks.map((chunk) => ({ ...chunk, embedding: whole }));
}

function countStored(sourceId: string, chunks: readonly NewChunk[]): StoredText {
  return { sourceId, chunks: chunks.length, embedded: chunks.filter((chunk) => chunk.embedding).length };
}

/**
 * Stores the text of a memory as a source that searches find when the transaction ends. One transaction writes all of it:
 * a memory has at most about forty chunks.
 */
export async function insertMemorySource(tx: TeamTransaction, text: MemoryText): Promise<StoredText> {
  const sourceId = newId();
  const chunks = newChunks(text);
  await insertLoadingSource(tx, {
    id: sourceId,
    layerId: text.layerId,
    kind: 'memory',
    title: text.title,
    uri: null,
    externalId: null,
    metadata: text.metadata,
    occurredAt: text.occurredAt ?? null,
    indexedAs: text.prepared.indexedAs,
    tags: text.tags,
    ...(text.expiresAt === undefined ? {} : { expiresAt: text.expiresAt }),
    contentHash: text.prepared.contentHash,
    ...(text.origin === undefined ? {} : { origin: text.origin }),
  });
  await insertChunks(tx, { id: sourceId, layerId: text.layerId, model: text.model }, chunks, 0);
  await activateSource(tx, sourceId, chunks.length);
  await storeSketch(tx, { id: sourceId, layerId: text.layerId }, chunks);
  return countStored(sourceId, chunks);
}

/**
 * Replaces the text of a memory's source. The old chunks, terms and vectors are deleted in the transaction that inserts the
 * new ones, so that a search finds either the old text or the new one.
 */
export async function replaceMemoryText(
  tx: TeamTransaction,
  sourceId: string,
  text: Pick<MemoryText, 'layerId' | 'title' | 'prepared' | 'model'> &
    Partial<Pick<MemoryText, 'embedding' | 'origin'>>,
): Promise<StoredText> {
  const chunks = newChunks({ embedding: null, ...text });
  await deleteChunks(tx, sourceId);
  await insertChunks(tx, { id: sourceId, layerId: text.layerId, model: text.model }, chunks, 0);
  await retitleSource(tx, sourceId, text, {
    contentHash: text.prepared.contentHash,
    chunks: chunks.length,
    indexedAs: text.prepared.indexedAs,
  });
  await storeSketch(tx, { id: sourceId, layerId: text.layerId }, chunks);
  return countStored(sourceId, chunks);
}

/**
 * Makes the text of a memory searchable when the memory is published. A memory that was published before keeps its source, so that
 * what refers to the source stays valid.
 */
export async function publishMemoryText(
  tx: TeamTransaction,
  memory: Pick<Memory, 'sourceId' | 'clientId' | 'metadata' | 'tags' | 'occurredAt' | 'expiresAt'>,
  text: Pick<MemoryText, 'title' | 'prepared' | 'embedding' | 'model' | 'origin'>,
): Promise<StoredText> {
  const { sourceId, metadata, tags, occurredAt } = memory;
  const layerId = layerOf(tx.scope, memory.clientId);
  const expiresAt = memory.expiresAt === null ? null : new Date(memory.expiresAt);
  if (sourceId === null) {
    return insertMemorySource(tx, { layerId, metadata, tags, occurredAt, expiresAt, ...text });
  }
  await reactivateSource(tx, sourceId, expiresAt);
  return replaceMemoryText(tx, sourceId, { layerId, ...text });
}

/** Stores the sketch of a memory, so that it is found as a near duplicate of other sources. */
async function storeSketch(
  tx: TeamTransaction,
  source: Parameters<typeof insertSketch>[1],
  chunks: readonly NewChunk[],
): Promise<void> {
  const builder = new SketchBuilder();
  for (const { sketch } of chunks) builder.add(sketch);
  const sketch = builder.finish();
  if (sketch !== null) await insertSketch(tx, source, sketch);
}
