import type { Queryable } from '../driver/database.ts';

/*
 * The schemas memory and identity as a script that makes them, read from the catalog: types, tables, indexes, policies and
 * grants. Functions and triggers are in db/functions, and the graphs of large Teams are made by the worker. The script is the
 * same on every version of PostgreSQL that the service runs on, and running it makes a catalog with the same script.
 */

/** The tables that the start makes before it applies a migration. */
const MADE_BEFORE = ['memory.function_file', 'memory.migration'];

/** To whom something can be granted, in the order in which it is shown. */
const GRANTEES = `
  values ('memory_service'::regrole::oid, 'memory_service', 1), ('memory_worker'::regrole::oid, 'memory_worker', 2),
         (0::oid, 'public', 3)`;

const SCHEMAS = `
  select n.nspname as name, string_agg(g.name, ', ' order by g.place) as grantees
    from pg_namespace n, aclexplode(n.nspacl) a join (${GRANTEES}) g (oid, name, place) on g.oid = a.grantee
   where n.nspname in ('memory', 'identity') and a.privilege_type = 'USAGE'
   group by n.nspname order by n.nspname`;

const TYPES = `
  select format('create type %s as enum (%s);', t.oid::regtype,
                string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)) as statement
    from pg_type t join pg_enum e on e.enumtypid = t.oid
   where t.typnamespace in ('memory'::regnamespace, 'identity'::regnamespace)
   group by t.oid order by 1`;

/** The tables, each with all that belongs to it. Columns are in the order in which they were added. */
const TABLES = `
  select c.oid::regclass::text as name, c.relpersistence = 'u' as "isUnlogged", c.relrowsecurity as "isSecured",
         c.reloptions as options,
         array(select quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
                      || case when a.attstorage <> t.typstorage
                              then ' storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
                                                                    when 'm' then 'main' else 'extended' end
                              else '' end
                      || case when a.attcollation <> t.typcollation
                              then ' collate ' || a.attcollation::regcollation else '' end
                      || case when a.attgenerated <> ''
                              then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                              when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid)
                              else '' end
                      || case when a.attnotnull then ' not null' else '' end
                 from pg_attribute a join pg_type t on t.oid = a.atttypid
                 left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
         -- PostgreSQL 18 counts NOT NULL as a constraint, 17 does not. The columns have it.
         array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
                 from pg_constraint k where k.conrelid = c.oid and k.contype not in ('n', 'f')
                order by k.contype, k.conname) as constraints,
         array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
                 from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' order by k.conname) as references,
         array(select pg_get_indexdef(i.indexrelid)
                 from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
                where i.indrelid = c.oid and m.amname <> 'hnsw'
                  and not exists (select from pg_constraint k
                                   where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
                order by x.relname) as indexes,
         array(select format('create policy %I on %s%s for %s to %s', p.polname, c.oid::regclass,
                        case when p.polpermissive then '' else ' as restrictive' end,
                        case p.polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert'
                                      when 'w' then 'update' else 'delete' end,
                        (select string_agg(case r when 0 then 'public' else r::regrole::text end, ', '
                                           order by r::regrole::text) from unnest(p.polroles) r))
                      || coalesce(E'\\n  using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
                      || coalesce(E'\\n  with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
                 from pg_policy p where p.polrelid = c.oid order by p.polname) as policies,
         array(select format('grant %s on %s to %s', g.rights, c.oid::regclass, g.grantee)
                 from (select string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as rights,
                              r.name as grantee, r.place
                         from aclexplode(c.relacl) a join (${GRANTEES}) r (oid, name, place) on r.oid = a.grantee
                        group by r.name, r.place
                       union all
                       select format('%s (%s)', lower(a.privilege_type),
                                     string_agg(quote_ident(t.attname), ', ' order by t.attnum)), r.name, r.place
                         from pg_attribute t, aclexplode(t.attacl) a
                         join (${GRANTEES}) r (oid, name, place) on r.oid = a.grantee
                        where t.attrelid = c.oid and t.attnum > 0 and not t.attisdropped
                        group by a.privilege_type, r.name, r.place) g
                order by g.place, g.rights) as grants
    from pg_class c
   where c.relnamespace in ('memory'::regnamespace, 'identity'::regnamespace) and c.relkind = 'r'
   order by 1`;

interface Table {
  name: string;
  isUnlogged: boolean;
  isSecured: boolean;
  options: string[] | null;
  columns: string[];
  constraints: string[];
  references: string[];
  indexes: string[];
  policies: string[];
  grants: string[];
}

/** Returns the script that makes the schemas of this database. The schemas themselves exist before the first migration. */
export async function readSchemaScript(tx: Queryable): Promise<string> {
  const [usual] = await tx.query<{ path: string }>(`select current_setting('search_path') as path`);
  // Then every name is written with its schema.
  await tx.query(`select set_config('search_path', '', true)`);
  const schemas = await tx.query<{ name: string; grantees: string }>(SCHEMAS);
  const types = await tx.query<{ statement: string }>(TYPES);
  const tables = await tx.query<Table>(TABLES);
  await tx.query(`select set_config('search_path', $1, true)`, [usual?.path]);
  const parts = [
    // In public, also if the owner is called memory and would create it in the schema of that name.
    ['create extension if not exists vector schema public;'],
    schemas.map(({ name, grantees }) => `grant usage on schema ${name} to ${grantees};`),
    types.map(({ statement }) => statement),
    ...tables.filter(({ name }) => !MADE_BEFORE.includes(name)).map(tableStatements),
    tables.flatMap(({ name, references }) => references.map((line) => `alter table ${name} add ${line};`)),
    // A policy can name another table.
    ...tables.map(({ policies, grants }) => [...policies, ...grants].map((line) => `${line};`)),
  ];
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [`${lines.join('\n')}\n`])).join('\n');
}

function tableStatements(table: Table): string[] {
  const { name, isUnlogged, isSecured, options, columns, constraints, indexes } = table;
  const fields = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
  const settings = options === null ? '' : ` with (${options.join(', ')})`;
  return [
    `create ${isUnlogged ? 'unlogged ' : ''}table ${name} (\n${fields}\n)${settings};`,
    ...indexes.map((index) => `${index};`),
    ...(isSecured ? [`alter table ${name} enable row level security;`] : []),
  ];
}
