import type { TeamTransaction } from '../../db/driver/database.ts';
import { deleteChunks, insertChunks, type NewChunk } from '../../db/queries/memory/chunks.ts';
import { activateSource, insertLoadingSource, retitleSource } from '../../db/queries/memory/sources.ts';
import { newId } from '../../shared/ids.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { PreparedContent } from '../../shared/text/memory-content.ts';

/** A memory's text about to become searchable. */
export interface MemoryText {
  layer: LayerId;
  title: string;
  metadata: Record<string, unknown>;
  prepared: PreparedContent;
  /** Of unit length: stored where the content makes one chunk, since it stands for all of it. */
  embedding: Float32Array | null;
  model: string;
}

/** What became of a text: how many chunks it makes, and how many of them have a vector. */
export interface StoredText {
  sourceId: string;
  chunks: number;
  embedded: number;
}

function newChunks({ prepared, embedding }: Pick<MemoryText, 'prepared' | 'embedding'>): NewChunk[] {
  const whole = prepared.chunks.length === 1 ? embedding : null;
  return prepared.chunks.map((chunk) => ({ ...chunk, embedding: whole }));
}

/**
 * Stores a memory's text as a source that searches see when the transaction ends. At most some forty chunks, so that
 * one transaction takes them all.
 */
export async function insertMemorySource(tx: TeamTransaction, text: MemoryText): Promise<StoredText> {
  const sourceId = newId();
  const chunks = newChunks(text);
  await insertLoadingSource(tx, {
    id: sourceId,
    layer: text.layer,
    kind: 'memory',
    title: text.title,
    uri: null,
    externalId: null,
    metadata: text.metadata,
    contentHash: text.prepared.contentHash,
  });
  await insertChunks(tx, { id: sourceId, layer: text.layer, model: text.model }, chunks, 0);
  await activateSource(tx, sourceId, chunks.length);
  return { sourceId, chunks: chunks.length, embedded: chunks.filter((chunk) => chunk.embedding).length };
}

/**
 * Gives a memory's source another text: the old chunks, terms and vectors go and new ones come in one transaction, so
 * that a search sees the one text or the other.
 */
export async function replaceMemoryText(
  tx: TeamTransaction,
  sourceId: string,
  text: { layer: LayerId; title: string; prepared: PreparedContent; model: string },
): Promise<StoredText> {
  const chunks = newChunks({ ...text, embedding: null });
  await deleteChunks(tx, sourceId);
  await insertChunks(tx, { id: sourceId, layer: text.layer, model: text.model }, chunks, 0);
  await retitleSource(tx, sourceId, text.title, {
    contentHash: text.prepared.contentHash,
    chunks: chunks.length,
  });
  return { sourceId, chunks: chunks.length, embedded: 0 };
}
