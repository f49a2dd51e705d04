import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../db/driver/database.ts';
import { checksumOf, readFunctionFiles } from '../../db/startup/functions.ts';
import { readSchemaScript } from '../../db/startup/schema-script.ts';
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

/** The types of rows that pass between SQL functions. */
const ROW_TYPES = `
  select format(E'create type %s as (\\n%s\\n);', c.oid::regclass,
                string_agg(format('  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum))
         as statement
    from pg_class c join pg_attribute a on a.attrelid = c.oid
   where c.relnamespace in ('memory'::regnamespace, 'identity'::regnamespace) and c.relkind = 'c'
     and not a.attisdropped
   group by c.oid order by 1`;

const TRIGGERS = `
  select pg_get_triggerdef(g.oid) || ';' as statement
    from pg_trigger g join pg_class c on c.oid = g.tgrelid
   where c.relnamespace in ('memory'::regnamespace, 'identity'::regnamespace) and not g.tgisinternal
   order by c.oid::regclass::text, g.tgname`;

/** The functions, each in one line: its text is in db/functions. */
const FUNCTIONS = `
  select format('%s %s(%s)', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regproc,
                pg_get_function_arguments(p.oid))
         || coalesce(' returns ' || pg_get_function_result(p.oid), '')
         || case when p.prosecdef then ' security definer' else '' end
         || coalesce(' grant execute to ' || case
              when p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0) then 'public'
              when has_function_privilege('memory_service', p.oid, 'execute') then 'memory_service'
              when has_function_privilege('memory_worker', p.oid, 'execute') then 'memory_worker' end, '')
         || ';' as statement
    from pg_proc p
   where p.pronamespace in ('memory'::regnamespace, 'identity'::regnamespace)
   order by p.oid::regproc::text, pg_get_function_identity_arguments(p.oid)`;

/** The schemas memory and identity as text, the same from every version of PostgreSQL that the service runs on. */
export function dumpSchema(database: Database): Promise<string> {
  return database.transaction(async (tx) => {
    const script = await readSchemaScript(tx);
    // With nothing on the search path the server writes every name with its schema.
    await tx.query(`select set_config('search_path', '', true)`);
    const rest: string[] = [];
    for (const part of [ROW_TYPES, TRIGGERS, FUNCTIONS]) {
      const lines = await tx.query<{ statement: string }>(part);
      rest.push('', ...lines.map(({ statement }) => statement));
    }
    return `${HEAD}${script}${rest.join('\n')}\n`;
  });
}
