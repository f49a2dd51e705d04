import type { Database } from './database.ts';

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
 * In a table of which it knows that it holds a few rows, one index is as good to the planner as another. The plan by
 * which each new chunk is checked against its key is kept, and then read all chunks of the Team: a text of 31 MiB took
 * minutes. Of a table that it knows nothing about it expects more.
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
  // Of 3,000 rows. Searches are as fast as with ten times as many, and of 25,000 chunks those held up all for a second.
  await database.query(`select set_config('default_statistics_target', '10', false)`);
  // One by one, and outside a transaction: others are answered in between.
  for (const table of SEARCHED) {
    await database.query(`analyze memory.${table}`);
    await database.query(`vacuum memory.${table}`);
  }
}
