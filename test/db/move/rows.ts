import assert from 'node:assert/strict';
import type { Database } from '../../../db/driver/database.ts';
import { openQueue } from '../../../db/queue/queue.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createTestCompany } from '../../support/needs/database.ts';
import { readTables, TenantRows } from '../../support/tenant-rows.ts';
import type { Named } from './databases.ts';

/** More rows than two pages of a move. */
export const EVENTS = 4500;

/** Rows with values that are easily changed on their way: `rows` of a table, in the place of $1 and $2 its owner. */
const AWKWARD = [
  // Longer than a page, and every byte.
  `insert into memory.workspace_blob (company_id, sha256, bytes, content)
     select '$company', sha256(content), octet_length(content), content
       from (select string_agg(decode(lpad(to_hex(n % 256), 2, '0'), 'hex'), '' order by n) as content
               from generate_series(1, 3000000) n) blob`,
  // In a bucket.
  `insert into memory.workspace_blob (company_id, sha256, bytes, object_id, block_sha256)
     values ('$company', sha256('object'), 6, gen_random_uuid(), sha256('object'))`,
  `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type, detail, at)
     select '$company', gen_random_uuid(), 'test.event', '$user', 'x', jsonb_build_object('n', n),
            timestamptz '2026-01-01 00:00:00.123456+00' + n * interval '1 microsecond'
       from generate_series(1, ${EVENTS}) n`,
  `insert into memory.audit_event (company_id, id, kind, actor_id, subject_type, detail, at) values
     ('$company', gen_random_uuid(), '', '$user', e'quote " back \\\\ brace {} comma, NULL \\n\\t end',
      '{"float": 0.1, "large": 12345678901234567890.000, "nested": [null, "\\u00fc", "\\\\"], "": {}}', 'infinity'),
     ('$company', gen_random_uuid(), 'NULL', '$user', '\u00e4\u{1f600}', '"text"', '-infinity'),
     ('$company', gen_random_uuid(), '{}', '$user', '""', 'null', '0001-01-01 00:00:00+00 BC')`,
  `update memory.source set title = e' \\n"NULL"\\\\ ', tags = array['', 'NULL', '"', '\\', 'a,b', '{}'], uri = '',
     unread = '[{"kind": "page", "names": [2, "and 4,321 more"], "reason": "no_text"}]', encoding = 'shift_jis'`,
  `update memory.chunk set text = e'\\\\x00 ''\u0e01\u0e33'' \\r\\n', place = '{"headings": ["", "\\\\n", "NULL"]}'`,
  `update memory.chunk_embedding set embedding = (
     '[' || (select string_agg((65504.0 / (n * n + 0.1))::float4::text, ',') from generate_series(1, 1024) n) || ']')::public.halfvec`,
];

/** One row of each table of pg-boss that a service does not fill at once. */
const OF_QUEUE = [
  `insert into pgboss.schedule (name, key, cron, timezone, data) values ('import.process', 'k', '* * * * *', 'UTC', '{"a": 1}')`,
  `insert into pgboss.subscription (event, name) values ('event', 'import.process')`,
  `insert into pgboss.warning (type, message) values ('test', 'message')`,
  `insert into pgboss.bam (name, version, status, table_name, command) values ('test', 1, 'completed', 't', 'select 1')`,
  `insert into pgboss.job_dependency (child_name, child_id, parent_name, parent_id)
     values ('import.process', gen_random_uuid(), 'import.process', gen_random_uuid())`,
  // A day that the target has no partition for.
  `create table pgboss.queue_stats_20200229 partition of pgboss.queue_stats for values from ('2020-02-29') to ('2020-03-01')`,
  `insert into pgboss.queue_stats (id, name, captured_on) values (gen_random_uuid(), 'import.process', '2020-02-29 12:00+00')`,
];

/** Tables that have other rows in the target. The reasons are in db/move/catalog.ts. */
export const NOT_MOVED = [
  'identity.caller_change',
  'identity.team_withdrawal',
  'memory.function_file',
  'memory.migration',
  'pgboss.version',
];

/** Fills a prepared database: every table has a row, and some have many, or awkward ones. */
export async function fillEveryTable(database: Database, { url }: Named): Promise<void> {
  const company = await createTestCompany(database);
  await new TenantRows({ ...company, clientId: null }).insertAll(database, await readTables(database));
  const own = (text: string) =>
    text.replaceAll('$company', company.companyId).replaceAll('$user', company.ownerId);
  for (const text of AWKWARD) await database.query(own(text));
  const logger = createLogger('fatal', 'test');
  const queue = await openQueue({
    database,
    databaseUrl: url ?? null,
    supervise: false,
    logger,
    drainMs: 1000,
  });
  await database.transaction((tx) =>
    queue.enqueue(tx, 'keywords.count', { teamId: company.teamId } as never),
  );
  await queue.stop();
  for (const text of OF_QUEUE) await database.query(text);
  const rows = await readAll(database);
  for (const [table, found] of rows) assert.ok(found.length > 0, `${table} has no row`);
}

/** Every row of every table of the service, as text, by table. */
export async function readAll(database: Database): Promise<Map<string, string[]>> {
  return database.transaction(async (tx) => {
    await tx.query(`select set_config('timezone', 'UTC', true)`);
    const tables = await tx.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('memory', 'identity', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
        order by 1`,
    );
    const all = new Map<string, string[]>();
    for (const { name } of tables) {
      const shown = name === 'memory.usage_tally' ? `(to_jsonb(t) - 'xact')::text` : 't::text';
      const rows = await tx.query<{ row: string }>(`select ${shown} as row from ${name} t`);
      all.set(name, rows.map(({ row }) => row).sort());
    }
    return all;
  });
}

/** Tables whose rows are lost when an embedded database is killed. */
export const UNLOGGED = ['identity.failed_password', 'identity.request_count'];

/** Asserts that the databases have the same rows. */
export function assertEqualRows(
  before: Map<string, string[]>,
  after: Map<string, string[]>,
  except: readonly string[] = [],
): void {
  assert.deepEqual([...after.keys()], [...before.keys()]);
  for (const [table, rows] of before) {
    if (NOT_MOVED.includes(table) || except.includes(table)) continue;
    const moved = after.get(table);
    assert.equal(moved?.length, rows.length, table);
    // Not deepEqual: it would print megabytes.
    const other = rows.findIndex((row, index) => row !== moved?.[index]);
    assert.equal(moved?.[other]?.slice(0, 2000), rows[other]?.slice(0, 2000), table);
    assert.equal(other, -1, table);
  }
}
