import assert from 'node:assert/strict';
import type { Database } from '../../../db/driver/database.ts';
import { QUEUES } from '../../../shared/queues.ts';

/** The job of an import, by its tables, and how often it may still be tried again. */
export async function jobOf(
  database: Database,
  importId: string | undefined,
): Promise<{ state: string; triesLeft: number }> {
  const rows = await database.query<{ state: string; triesLeft: number }>(
    `select state, retry_limit - retry_count as "triesLeft" from pgboss.job
      where name = 'import.process' and data->>'importId' = $1`,
    [importId],
  );
  assert.equal(rows.length, 1);
  return rows[0]!;
}

/** How often the job of an import may be tried again when it has not been yet. */
export const ALL_TRIES = QUEUES['import.process'].settings.retryLimit;

/**
 * Holds what is stored of imports that all completed against what should be: each has one source, whole, and one
 * event, and nothing is left of runs that came to nothing.
 */
export async function assertStoredOnce(database: Database, ids: readonly string[]): Promise<void> {
  await database.query(
    `update memory.source set updated_at = now() - interval '2 hours' where state = 'loading'`,
  );
  await database.query('select memory.prune_loading_chunks(100000)');
  await database.query('select memory.prune()');
  const sources = await database.query<{ id: string; state: string; chunks: number; rows: number }>(
    `select s.id, s.state, s.chunk_count as chunks,
            (select count(*)::int from memory.chunk c where c.team_id = s.team_id and c.source_id = s.id) as rows
       from memory.source s where s.kind = 'import' order by s.id`,
  );
  for (const { state, chunks, rows } of sources) assert.deepEqual([state, rows], ['active', chunks]);
  const imports = await database.query<{ state: string; sourceId: string }>(
    'select state, source_id as "sourceId" from memory.import where id = any ($1::uuid[]) order by source_id',
    [ids],
  );
  assert.deepEqual(
    imports.map(({ state, sourceId }) => [state, sourceId]),
    sources.map(({ id }) => ['completed', id]),
  );
  const events = await database.query<{ id: string }>(
    `select subject_id as id from memory.audit_event where kind = 'memory.import_complete' order by 1`,
  );
  assert.deepEqual(
    events.map(({ id }) => id),
    ids.toSorted(),
  );
}
