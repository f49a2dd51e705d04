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
 * Lets the planner know what the tables of search hold, and which of their pages an index may answer for. PostgreSQL
 * does so by itself; the embedded database has no autovacuum, and a search of it took five times as long.
 */
export async function renewStatistics(database: Database): Promise<void> {
  if (database.backend !== 'pglite') return;
  // One by one, and outside a transaction: others are answered in between.
  for (const table of SEARCHED) await database.query(`vacuum (analyze) memory.${table}`);
}
