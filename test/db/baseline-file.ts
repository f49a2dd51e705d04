import type { Database } from '../../db/driver/database.ts';
import { CATALOG_MARK, END_MARK } from '../../db/startup/baseline.ts';
import { readSchemaScript } from '../../db/startup/schema-script.ts';

const HEAD = `-- schema-1: what all migrations before it made, written from the catalog by npm run baseline. Functions and triggers are in
-- db/functions. A database that those migrations made must have this catalog: see db/startup/baseline.ts.

`;

/** What depends on the server, so that the catalog of a database need not have it. */
const OF_SERVER = `-- Terms of chunks are compressed with lz4. pglz, the default, gives up: it looks for repetitions in the first kilobyte, where a
-- sparsevec has its indices, which are hashes. A server that was built without lz4 stores them as they are.
do $$
begin
  alter table memory.chunk_keyword alter column weights set compression lz4, alter column keys set compression lz4;
exception when feature_not_supported then
  raise notice 'the server has no lz4: the weights of chunks are stored without it';
end $$;
`;

/** Returns the baseline migration for a database that has been migrated and has no records. */
export function baselineText(database: Database): Promise<string> {
  return database.transaction(async (tx) => {
    const catalog = await readSchemaScript(tx);
    const tables = await tx.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
        where c.relnamespace in ('memory'::regnamespace, 'identity'::regnamespace) and c.relkind = 'r'
          and c.oid not in ('memory.migration'::regclass, 'memory.function_file'::regclass) order by 1`,
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await tx.query<{ row: string }>(
        `select format('insert into ${name} select * from jsonb_populate_record(null::${name}, %L);', to_jsonb(t)) as row
           from ${name} t order by 1`,
      );
      rows.push(...found.map(({ row }) => row));
    }
    return `${HEAD}${CATALOG_MARK}\n${catalog}\n${END_MARK}\n${rows.join('\n')}\n\n${OF_SERVER}`;
  });
}
