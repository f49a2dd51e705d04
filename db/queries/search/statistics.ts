import type { Database } from '../../driver/database.ts';

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
