import assert from 'node:assert/strict';
import type { Database } from '../../db/driver/database.ts';
import { fileText } from './many-imports.ts';

async function count(database: Database, query: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(`select count(*)::int as n from ${query}`);
  assert.ok(row);
  return row.n;
}

/** What a killed run had written ahead is seen by no one, and upkeep removes it once it is old: make it old. */
async function pruneLeftovers(database: Database): Promise<void> {
  await database.query(
    `update memory.source set updated_at = now() - interval '2 hours' where state = 'loading'`,
  );
  // As the worker does: the chunks bit by bit, then the sources.
  while ((await count(database, '(select memory.prune_loading_chunks(10000) as n) p where n > 0')) > 0);
  await database.query('select memory.prune()');
}

interface StoredSource {
  id: string;
  chunks: number;
  state: string;
  text: string;
  rows: number;
}

/** How often each value is there beyond once. */
function repeats(values: readonly unknown[]): number {
  return values.length - new Set(values).size;
}

/**
 * Every import took effect, and took it once, by the tables of a database that has nothing else in it. There were kills, so
 * some took more than one run.
 * @param ids of the imports that were accepted, by the number of their file
 */
export async function assertOnce(database: Database, ids: readonly string[]): Promise<void> {
  assert.equal(new Set(ids).size, ids.length, 'each was accepted once');
  await pruneLeftovers(database);
  const imports = await database.query<{
    id: string;
    state: string;
    attempts: number;
    sourceId: string | null;
  }>('select id, state, attempts, source_id as "sourceId" from memory.import');
  const sources = await database.query<StoredSource>(
    `select s.id, s.chunk_count as chunks, s.state, string_agg(c.text, e'\\n\\n' order by c.ordinal) as text,
            count(*)::int as rows
       from memory.source s join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
      group by s.team_id, s.id`,
  );
  const events = await database.query<{ id: string }>(
    `select subject_id as id from memory.audit_event where kind = 'memory.import_complete'`,
  );

  const importOf = new Map(imports.map((row) => [row.id, row]));
  const sourceOf = new Map(sources.map((row) => [row.id, row]));
  const told = new Set(events.map(({ id }) => id));
  // Accepted, and yet its file is not there whole, under the import's own source, with its event.
  const lost = ids.filter((id, index) => {
    const made = importOf.get(id);
    const source = sourceOf.get(made?.sourceId ?? '');
    const whole = source?.state === 'active' && source.rows === source.chunks;
    return !(made?.state === 'completed' && whole && source.text === fileText(index) && told.has(id));
  });
  assert.deepEqual(lost, []);
  const doubled = [
    repeats(events.map(({ id }) => id)),
    repeats(imports.map(({ sourceId }) => sourceId)),
    repeats(sources.map(({ text }) => text)),
  ];
  assert.deepEqual(doubled, [0, 0, 0]);
  assert.equal(imports.length, ids.length);
  const runs = imports.reduce((sum, { attempts }) => sum + attempts, 0);
  assert.ok(runs > ids.length, 'some were running when the process was killed, and every run counts');

  const chunks = sources.reduce((sum, { rows }) => sum + rows, 0);
  for (const [rows, expected] of [
    ['memory.source', ids.length],
    ['memory.chunk', chunks],
    ['memory.chunk_keyword', chunks],
    ['memory.embedding_pending', chunks],
    ['memory.import_payload', 0],
    [`memory.audit_event where kind = 'memory.import'`, ids.length],
    [`pgboss.job where name like 'import.%' and state <> 'completed'`, 0],
  ] as const)
    assert.equal(await count(database, rows), expected, rows);
}
