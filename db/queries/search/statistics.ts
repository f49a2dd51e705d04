import type { Database } from '../../driver/database.ts';

/** What a search reads. */
export const SEARCHED = [
  'source',
  'chunk',
  'chunk_keyword',
  'chunk_embedding',
  'keyword_df',
  'keyword_layer',
  'keyword_team',
] as const;

/**
 * No statistics are made of fewer chunks. If the planner knows that a table has one row, all its indexes cost the same,
 * and the plan that checks each new chunk against its key can read all chunks of the Team. That plan is cached: a text
 * of 31 MiB then took minutes. Without statistics the planner assumes more rows, and looks each chunk up.
 */
const FEW_CHUNKS = 100;

/**
 * Lets the planner know what the tables of search hold, and which of their pages an index may answer for. PostgreSQL
 * does so by itself; the embedded database has no autovacuum, and a search of it took five times as long.
 */
export async function renewStatistics(database: Database): Promise<void> {
  if (database.backend !== 'pglite') return;
  const chunks = await database.query('select from memory.chunk limit $1', [FEW_CHUNKS]);
  if (chunks.length < FEW_CHUNKS) return;
  // A sample of 3,000 rows: searches are as fast as with 30,000, which block all other requests for a second.
  await database.query(`select set_config('default_statistics_target', '10', false)`);
  // One by one, and outside a transaction: others are answered in between.
  for (const table of SEARCHED) {
    await database.query(`analyze memory.${table}`);
    await database.query(`vacuum memory.${table}`);
  }
}
