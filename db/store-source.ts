import { newId } from '../shared/ids.ts';
import type { Source } from '../shared/schemas/memory.ts';
import type { TeamScope } from '../shared/scope.ts';
import { type Database, type TeamTransaction, transaction } from './database.ts';
import { insertChunks, type NewChunk } from './queries/chunks.ts';
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
} from './queries/sources.ts';

/** A document about to be stored: what it is, and its chunks. */
export interface SourceDraft extends Omit<NewSource, 'id'> {
  chunks: readonly NewChunk[];
  /** Of the chunks' vectors. */
  model: string;
}

/** How many chunks the transaction that commits a draft writes at most: it holds locks while it writes. */
const CHUNKS_OF_SMALL = { postgres: 100, pglite: 50 };
/** Chunks that a transaction before it writes. With the embedded database everyone else waits for it to end. */
const CHUNKS_A_TRANSACTION = { postgres: 250, pglite: 50 };

/** A draft on its way: its chunks are written already if they are many. */
export interface StagedSource {
  source: NewSource;
  draft: SourceDraft;
  written: boolean;
}

/**
 * Writes the chunks of a large draft, batch by batch, under a source that no one sees yet. A small draft waits
 * for `commitSource`. If the process dies in between, upkeep removes what was written.
 * @param tell hears how much of it is written, from 0 to 1. What it throws breaks the staging off, at once: what was
 *   written is left to upkeep
 */
export async function stageSource(
  database: Database,
  scope: TeamScope,
  draft: SourceDraft,
  tell: (share: number) => void = () => undefined,
): Promise<StagedSource> {
  const { chunks, model, ...fields } = draft;
  const source: NewSource = { ...fields, id: newId() };
  const large = chunks.length > CHUNKS_OF_SMALL[database.backend];
  // A large text that is there already is not written only to be thrown away.
  const written = large && !(await isStored(database, scope, source));
  const staged = { source, draft, written };
  if (!written) return staged;
  const batchSize = CHUNKS_A_TRANSACTION[database.backend];
  for (let start = 0; start < chunks.length; start += batchSize) {
    const batch = chunks.slice(start, start + batchSize);
    try {
      await transaction(database, scope, async (tx) => {
        if (start === 0) await insertLoadingSource(tx, source);
        await insertChunks(tx, { ...source, model }, batch, start);
      });
    } catch (error) {
      await discardSource(database, scope, staged);
      throw error;
    }
    tell(Math.min(1, (start + batchSize) / chunks.length));
  }
  return staged;
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
  if (!staged.written) return;
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
  const { source, draft } = staged;
  await lockSource(tx, source);
  const present = await findActiveSource(tx, source);
  if (present?.contentHash.equals(source.contentHash)) {
    if (staged.written) await deleteLoadingSource(tx, source.id);
    const pending = await countPendingChunks(tx, present.source.id);
    const embedded = present.source.chunks - pending;
    // Only an external id says that it is this source that is meant, and not another one of the same text.
    const changed =
      source.externalId === null ? null : await updateSourceFields(tx, present.source.id, source);
    if (changed !== null) return { outcome: 'updated', embedded, ...changed };
    return { outcome: 'duplicate', source: present.source, embedded };
  }
  if (!staged.written) {
    await insertLoadingSource(tx, source);
    await insertChunks(tx, { ...source, model: draft.model }, draft.chunks, 0);
  }
  const embedded = draft.chunks.filter((chunk) => chunk.embedding !== null).length;
  if (present !== null) {
    const stored = await replaceSource(tx, present.source.id, source, draft.chunks.length);
    return { outcome: 'replaced', source: stored.source, embedded };
  }
  const stored = await activateSource(tx, source.id, draft.chunks.length);
  return { outcome: 'created', source: stored.source, embedded };
}
