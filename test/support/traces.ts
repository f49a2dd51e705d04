import type { Database } from '../../db/driver/database.ts';

/** A row that contains something, as its table and its text. */
export interface Trace {
  table: string;
  row: string;
}

/** The rows of all tables that contain one of some texts, also as bytes. New tables and schemas are found in the catalog. */
export async function tracesOf(
  { database }: { database: Database },
  ...texts: readonly string[]
): Promise<Trace[]> {
  const tables = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'm') order by 1`,
  );
  const traces: Trace[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(
      // A column of bytes is written in hexadecimal digits.
      `select t::text as row from ${name} t
        where exists (select from unnest($1::text[]) word
                       where position(lower(word) in lower(t::text)) > 0
                          or position(encode(convert_to(word, 'UTF8'), 'hex') in t::text) > 0)`,
      [texts],
    );
    traces.push(...rows.map(({ row }) => ({ table: name, row })));
  }
  return traces;
}

/** The tables whose rows contain one of some texts, each once. */
export async function tablesWith(
  service: { database: Database },
  ...texts: readonly string[]
): Promise<string[]> {
  return [...new Set((await tracesOf(service, ...texts)).map(({ table }) => table))].sort();
}
