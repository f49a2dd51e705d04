import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';

/** A statement takes about a second on the embedded database. Statements of more than 15 seconds are cancelled. */
const CHUNKS_PER_STATEMENT = 1000;

/** Moves a source to another layer that the scope can write, with everything that belongs to it. Lock the source before. */
export async function moveSource(tx: TeamTransaction, id: string, layerId: LayerId): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_source($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the source to move does not exist');
  await moveChunks(tx, id);
}

/**
 * Moves a memory to another layer that the scope can write, with its versions and its source. Lock the memory before.
 * @param sourceId null if it has no source
 */
export async function moveMemory(
  tx: TeamTransaction,
  { id, sourceId }: { id: string; sourceId: string | null },
  layerId: LayerId,
): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_memory($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the memory to move does not exist');
  if (sourceId !== null) await moveChunks(tx, sourceId);
}

/** Moves the chunks of a source to its layer, in several statements. */
async function moveChunks(tx: TeamTransaction, sourceId: string): Promise<void> {
  let last: number | null = -1;
  while (last !== null) {
    const rows: { last: number | null }[] = await tx.query('select memory.move_chunks($1, $2, $3) as last', [
      sourceId,
      last,
      CHUNKS_PER_STATEMENT,
    ]);
    last = rows[0]?.last ?? null;
  }
}
