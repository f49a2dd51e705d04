import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from '../../db/driver/database.ts';
import { checksumOf, readFunctionFiles } from '../../db/startup/functions.ts';
import { ROOT } from '../support/root.ts';

/** Where the dump is committed: the schema that all migrations together make, to be read in one place. */
export const SCHEMA_FILE = 'db/schema.sql';

/** The number of changes to the SQL functions, and the checksum of all files at the last change. */
export const REVISION_FILE = 'db/functions/revision.json';

/**
 * The content of the revision file for the functions as they are now: a change raises the revision by one. After a merge
 * with conflicts, the file has the lines of both sides: the result is higher than both.
 */
export async function renewedRevision(): Promise<string> {
  const files = await readFunctionFiles();
  const checksum = checksumOf(files.map((file) => `${file.name} ${file.checksum}\n`).join(''));
  const text = await readFile(join(ROOT, REVISION_FILE), 'utf8');
  const revisions = [...text.matchAll(/"revision": (\d+)/g)].map(([, revision]) => Number(revision));
  const isKnown = revisions.length === 1 && text.includes(checksum);
  const next = { revision: Math.max(...revisions) + (isKnown ? 0 : 1), checksum };
  return `${JSON.stringify(next, null, 2)}\n`;
}

const HEAD = `-- What the migrations and db/functions make, as the catalog tells it: the schemas memory and identity. To be read and
-- compared, not to be run. Made by: npm run generate
`;

/** Who may be granted something, in the order in which it is shown. */
const GRANTEES = `
  values ('memory_service'::regrole::oid, 'memory_service', 1), ('memory_worker'::regrole::oid, 'memory_worker', 2),
         (0::oid, 'public', 3)`;

/** The tables, each with all that hangs on it. A table's columns are in the order of their making. */
const TABLES = `
  select c.oid::int8 as oid, n.nspname || '.' || c.relname as name, c.relkind::text as kind,
         c.relrowsecurity as secured, c.relforcerowsecurity as forced,
         coalesce((select array_agg(line order by num) from (
           select a.attnum as num, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                  || case when a.attnotnull then ' not null' else '' end
                  || case when a.attgenerated <> ''
                          then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') '
                               || case a.attgenerated when 's' then 'stored' else 'virtual' end
                          when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid)
                          else '' end
                  || case when a.attstorage <> t.typstorage
                          then ' storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
                                                                when 'm' then 'main' else 'extended' end
                          else '' end as line
             from pg_attribute a join pg_type t on t.oid = a.atttypid
             left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) columns), '{}') as columns,
         -- PostgreSQL 18 counts NOT NULL as a constraint, 17 does not: the columns tell it already.
         coalesce((select array_agg('constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
                                    order by k.contype, k.conname)
                     from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'), '{}') as constraints,
         coalesce((select array_agg(pg_get_indexdef(i.indexrelid) order by x.relname)
                     from pg_index i join pg_class x on x.oid = i.indexrelid
                    where i.indrelid = c.oid
                      and not exists (select from pg_constraint k where k.conindid = i.indexrelid
                                         and k.contype in ('p', 'u', 'x'))), '{}') as indexes,
         coalesce((select array_agg('policy ' || p.polname
                      || case when p.polpermissive then '' else ' as restrictive' end
                      || ' for ' || case p.polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert'
                                                  when 'w' then 'update' else 'delete' end
                      || ' to ' || (select string_agg(case r when 0 then 'public' else r::regrole::text end, ', '
                                                      order by r::regrole::text) from unnest(p.polroles) r)
                      || coalesce(E'\\n    using ' || pg_get_expr(p.polqual, p.polrelid), '')
                      || coalesce(E'\\n    with check ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
                      order by p.polname)
                     from pg_policy p where p.polrelid = c.oid), '{}') as policies,
         coalesce((select array_agg(pg_get_triggerdef(g.oid) order by g.tgname)
                     from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal), '{}') as triggers,
         -- To the service's roles and to everyone: on the table, and on single columns.
         coalesce((select array_agg('grant ' || g.rights || ' to ' || g.grantee || ';' order by g.place, g.rights)
                     from (select string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as rights,
                                  r.name as grantee, r.place
                             from aclexplode(c.relacl) a
                             join (${GRANTEES}) r (oid, name, place) on r.oid = a.grantee group by r.name, r.place
                           union all
                           select lower(a.privilege_type) || ' ('
                                    || string_agg(t.attname, ', ' order by t.attnum) || ')', r.name, r.place
                             from pg_attribute t, aclexplode(t.attacl) a
                             join (${GRANTEES}) r (oid, name, place) on r.oid = a.grantee
                            where t.attrelid = c.oid and t.attnum > 0 and not t.attisdropped
                            group by a.privilege_type, r.name, r.place) g), '{}') as grants,
         case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as view
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('memory', 'identity') and c.relkind in ('r', 'p', 'v', 'm', 'S', 'c')
   order by 2`;

interface Table {
  name: string;
  kind: string;
  secured: boolean;
  forced: boolean;
  columns: string[];
  constraints: string[];
  indexes: string[];
  policies: string[];
  triggers: string[];
  grants: string[];
  view: string | null;
}

/** The functions, each in one line: its text is in db/functions. */
const FUNCTIONS = `
  select 'function ' || n.nspname || '.' || p.proname || '(' || pg_get_function_arguments(p.oid) || ')'
         || coalesce(' returns ' || pg_get_function_result(p.oid), '')
         || case when p.prosecdef then ' security definer' else '' end
         || coalesce(' grant execute to ' || case
              when p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0) then 'public'
              when has_function_privilege('memory_service', p.oid, 'execute') then 'memory_service'
              when has_function_privilege('memory_worker', p.oid, 'execute') then 'memory_worker' end, '')
         || ';' as line
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where n.nspname in ('memory', 'identity') and p.prokind in ('f', 'p')
   order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)`;

const SCHEMAS = `
  select n.nspname as name, has_schema_privilege('memory_service', n.oid, 'usage') as usage,
         has_schema_privilege('memory_service', n.oid, 'create') as create
    from pg_namespace n where n.nspname in ('memory', 'identity') order by 1`;

/**
 * The schemas memory and identity as text, the same from every version of PostgreSQL that the service runs on:
 * read from the catalog, with every name in full.
 */
export function dumpSchema(database: Database): Promise<string> {
  return database.transaction(async (tx) => {
    // With nothing on the search path the server writes every name with its schema.
    await tx.query(`select set_config('search_path', '', true)`);
    const parts = [HEAD, ...(await schemaLines(tx))];
    for (const table of await tx.query<Table>(TABLES)) parts.push(tableText(table));
    const functions = await tx.query<{ line: string }>(FUNCTIONS);
    parts.push('', ...functions.map(({ line }) => line));
    return `${parts.join('\n')}\n`;
  });
}

async function schemaLines(tx: Queryable): Promise<string[]> {
  const schemas = await tx.query<{ name: string; usage: boolean; create: boolean }>(SCHEMAS);
  return schemas.map(({ name, usage, create }) => {
    const granted = [usage ? 'usage' : '', create ? 'create' : ''].filter(Boolean).join(', ');
    return `schema ${name};${granted === '' ? '' : ` -- memory_service: ${granted}`}`;
  });
}

const KINDS: Record<string, string> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  S: 'sequence',
  c: 'type',
};

function tableText(table: Table): string {
  const lines = [...table.columns, ...table.constraints].map((line) => `  ${line}`);
  const text = [`\n${KINDS[table.kind] ?? table.kind} ${table.name} (\n${lines.join(',\n')}\n);`];
  if (table.view !== null) text.push(table.view);
  text.push(...table.indexes.map((index) => `${index};`));
  if (table.kind !== 'c') {
    text.push(`row level security ${table.secured ? 'on' : 'off'}${table.forced ? ', forced' : ''};`);
  }
  text.push(...table.policies.map((policy) => `${policy};`));
  text.push(...table.triggers.map((trigger) => `${trigger};`));
  text.push(...table.grants);
  return text.join('\n');
}
