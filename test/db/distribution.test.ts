import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { readPage } from '../documents/page.ts';
import { openTestDatabase } from '../support/needs/database.ts';
import { ROOT } from '../support/root.ts';

/** The first cells of the table of exceptions. */
const EXCEPTIONS = readPage('docs/operations/citus.md').lines.flatMap((line) => {
  const [, cell] = /^\| ((?:Foreign key|Triggers of) .+?) \|/.exec(line) ?? [];
  return cell === undefined ? [] : [cell.replaceAll('`', '')];
});

/** Tables of Team data. The others lie on the coordinator, or on every server. */
const TEAM_TABLES = `(
  select a.attrelid as id from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r' and a.attname = 'team_id' and a.attnotnull)`;

/** The names of the columns of a table whose numbers are in an array. */
const columns = (table: string, numbers: string) => `array(
  select a.attname::text from unnest(${numbers}) with ordinality n (number, place)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number order by n.place)`;

const database = await openTestDatabase();

describe('the rules by which Teams can be distributed over several servers', () => {
  const namesOf = async (text: string) =>
    (await database.query<{ name: string }>(text)).map(({ name }) => name).sort();

  test('every unique key of Team data has the Team', async () => {
    const keys = `select i.indexrelid::regclass::text as name, i.indrelid, ${columns('i.indrelid', 'i.indkey::int2[]')} as columns
      from pg_index i where i.indisunique and i.indrelid in ${TEAM_TABLES}`;
    assert.ok((await namesOf(keys)).length > 20);
    assert.deepEqual(await namesOf(`select name from (${keys}) k where not 'team_id' = any (columns)`), []);
  });

  test('the page names every foreign key of Team data that leads elsewhere than to identity without the Team', async () => {
    const keys = `select k.conrelid, k.confrelid, ${columns('k.conrelid', 'k.conkey')} as ours,
        ${columns('k.confrelid', 'k.confkey')} as theirs
      from pg_constraint k where k.contype = 'f' and k.conrelid in ${TEAM_TABLES}`;
    const unfit =
      await namesOf(`select format('Foreign key %s (%s)', conrelid::regclass, array_to_string(ours, ', ')) as name
      from (${keys}) k
     where (select relnamespace from pg_class where oid = confrelid) <> 'identity'::regnamespace
       and not (confrelid in ${TEAM_TABLES} and 'team_id' = any (ours)
                and theirs[array_position(ours, 'team_id')] = 'team_id')`);
    assert.deepEqual(unfit, EXCEPTIONS.filter((name) => name.startsWith('Foreign')).sort());
  });

  test('the page names every table of Team data that has triggers', async () => {
    const tables = await namesOf(`select distinct format('Triggers of %s', t.tgrelid::regclass) as name
      from pg_trigger t where not t.tgisinternal and t.tgrelid in ${TEAM_TABLES}`);
    assert.deepEqual(tables, EXCEPTIONS.filter((name) => name.startsWith('Triggers')).sort());
  });

  test('the Team is the first argument of every function of a search that the service calls', async () => {
    const files = globSync('db/functions/search/**/*.sql', { cwd: ROOT }).map((file) =>
      basename(join(ROOT, file), '.sql').replaceAll('-', '_'),
    );
    const called = `select p.proname as name, p.proargnames[1] as first from pg_proc p
      where p.pronamespace = 'memory'::regnamespace and has_function_privilege('memory_service', p.oid, 'execute')
        and p.proname in (${files.map((name) => `'${name}'`).join(', ')})`;
    assert.ok((await namesOf(called)).includes('search_hits'));
    assert.deepEqual(
      await namesOf(`select name from (${called}) p where first is distinct from 'p_team'`),
      [],
    );
  });
});
