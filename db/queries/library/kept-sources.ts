import type { TeamTransaction } from '../../driver/database.ts';

/** For how long archived sources can be restored, and the model of the service. */
export interface Keeping {
  /** 0: not at all. */
  archiveDays: number;
  embeddingModel: string;
}

/** Chunks that one statement moves. Each statement has a time limit. */
const MAX_CHUNKS_PER_STATEMENT = 1000;

/**
 * Moves the chunks of sources, with their terms, vectors and sketches, to where only `restoreKeptSource` finds them. Skips
 * memories and workspace files.
 */
export async function keepSources(
  tx: TeamTransaction,
  ids: readonly string[],
  { embeddingModel }: Keeping,
): Promise<void> {
  await tx.query('select memory.keep_sources($1)', [ids]);
  for (let moved = MAX_CHUNKS_PER_STATEMENT; moved === MAX_CHUNKS_PER_STATEMENT; ) {
    const [row] = await tx.query<{ moved: number }>('select memory.keep_chunks($1, $2, $3) as moved', [
      ids,
      embeddingModel,
      MAX_CHUNKS_PER_STATEMENT,
    ]);
    moved = row?.moved ?? 0;
  }
}

/**
 * Moves the kept chunks of a source back, with their terms and vectors, and its sketch. A chunk without a vector of the
 * service's model becomes pending. Call `memory.lock_kept_source` before.
 * @returns how many chunks there were, and how many of them are pending
 */
export async function restoreKeptSource(
  tx: TeamTransaction,
  id: string,
  { embeddingModel }: Keeping,
): Promise<{ chunks: number; pending: number }> {
  const total = { chunks: 0, pending: 0 };
  for (let last = MAX_CHUNKS_PER_STATEMENT; last === MAX_CHUNKS_PER_STATEMENT; total.chunks += last) {
    const [row] = await tx.query<{ moved: number; pending: number }>(
      'select r.moved, r.pending from memory.restore_chunks($1, $2, $3) r',
      [id, embeddingModel, MAX_CHUNKS_PER_STATEMENT],
    );
    last = row?.moved ?? 0;
    total.pending += row?.pending ?? 0;
  }
  await tx.query('select memory.end_restore($1)', [id]);
  return total;
}
