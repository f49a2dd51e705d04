import type { Layers } from '../../../shared/access.ts';
import type { SimilarMemory } from '../../../shared/schemas/library.ts';
import type { TeamTransaction } from '../../driver/database.ts';

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
