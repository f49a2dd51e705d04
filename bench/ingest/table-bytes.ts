import type pg from 'pg';

/** The tables that have rows for each chunk. */
const TABLES = ['chunk', 'chunk_keyword', 'chunk_embedding'];

/** The bytes of these tables after a vacuum, by table, with its toast table and each of its indexes. */
export async function bytesByRelation(client: pg.Client): Promise<Map<string, number>> {
  for (const table of TABLES) await client.query(`vacuum analyze memory.${table}`);
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `with tables as (
       select c.oid, c.relname, c.reltoastrelid from pg_class c
        where c.relnamespace = 'memory'::regnamespace and c.relname = any ($1)
     ), relations as (
       select relname::text as name, oid, relname, 0 as part from tables
       union all
       select relname || ' toast', reltoastrelid, relname, 1 from tables where reltoastrelid <> 0
       union all
       select i.indexrelid::regclass::text, i.indexrelid, t.relname, 2
         from tables t join pg_index i on i.indrelid in (t.oid, t.reltoastrelid)
     )
     select name, pg_table_size(oid) as bytes from relations order by relname, part, name`,
    [TABLES],
  );
  return new Map(
    rows.map(({ name, bytes }) => [
      name.replace(/_\d+_index$/, ' index').replace(/^(memory|pg_toast)\./, '  '),
      Number(bytes),
    ]),
  );
}
