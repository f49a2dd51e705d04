import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import type { TestCompany } from './needs/database.ts';

/** A column of a table, as the catalog describes it. */
interface Column {
  name: string;
  type: string;
  optional: boolean;
}

/** A table of the schemas memory and identity, as the catalog describes it. */
export interface CatalogTable {
  name: string;
  columns: Column[];
  /** Definitions of its CHECK constraints. */
  checks: string[];
  references: { table: string; columns: string[]; to: string[] }[];
}

/** Reads every table of the service from the catalog, each after those that it refers to. */
export async function readTables(database: Queryable): Promise<CatalogTable[]> {
  const tables = await database.query<CatalogTable>(`
    select n.nspname || '.' || c.relname as name,
           (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                     'optional', not a.attnotnull or a.atthasdef) order by a.attnum)
              from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
               and a.attgenerated = '') as columns,
           (select coalesce(json_agg(pg_get_constraintdef(k.oid)), '[]')
              from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') as checks,
           (select coalesce(json_agg(json_build_object('table', rn.nspname || '.' || r.relname,
                     'columns', (select json_agg(a.attname order by x.place)
                                   from unnest(k.conkey) with ordinality as x (num, place)
                                   join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.num),
                     'to', (select json_agg(a.attname order by x.place)
                              from unnest(k.confkey) with ordinality as x (num, place)
                              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.num))), '[]')
              from pg_constraint k join pg_class r on r.oid = k.confrelid
              join pg_namespace rn on rn.oid = r.relnamespace
             where k.conrelid = c.oid and k.contype = 'f') as references
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('memory', 'identity') and c.relkind in ('r', 'p', 'v', 'm')
     order by 1`);
  for (const table of tables) table.references.push(...(WITHOUT_KEY[table.name] ?? []));
  return inOrderOfReference(tables);
}

/** References that have no foreign key, because checking one would take time in each search. */
const WITHOUT_KEY: Record<string, CatalogTable['references']> = {
  'memory.audit_search': [
    { table: 'memory.audit_event', columns: ['company_id', 'event_id'], to: ['company_id', 'id'] },
  ],
};

function inOrderOfReference(tables: readonly CatalogTable[]): CatalogTable[] {
  const ordered: CatalogTable[] = [];
  const waiting = [...tables];
  while (waiting.length > 0) {
    const next = waiting.findIndex((table) =>
      table.references.every(
        ({ table: other }) => other === table.name || ordered.some((done) => done.name === other),
      ),
    );
    if (next === -1)
      throw new Error(`tables refer to each other: ${waiting.map((table) => table.name).join(', ')}`);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

/** Whose rows are made: a Team, and there the Team layer or one client. */
export interface RowOwner extends TestCompany {
  clientId: string | null;
}

/** A row, by column, as SQL literals. */
type Row = Record<string, string>;

/** What the catalog cannot tell of a column. */
const CHOSEN: Record<string, Row> = {
  'memory.source': { state: `'active'`, original_bytes: '1', original_media_type: `'text/plain'` },
  // Without a source: where a row is referred to, that would keep it, and not the wall that is tried.
  'memory.memory_item': { state: `'review'`, source_id: 'null' },
  // Null only if the content is in a bucket.
  'memory.workspace_blob': { content: `'\\x01'` },
  // The metrics of the whole service have it as a label.
  'memory.usage_tally': { part: `'texts'` },
};

const UUID_OF: Record<string, (owner: RowOwner) => string | null> = {
  company_id: (owner) => owner.companyId,
  team_id: (owner) => owner.teamId,
  client_id: (owner) => owner.clientId,
  layer_id: (owner) => owner.clientId ?? owner.teamId,
  user_id: (owner) => owner.ownerId,
  actor_id: (owner) => owner.ownerId,
  created_by: (owner) => owner.ownerId,
};

const LITERALS: Record<string, () => string> = {
  uuid: () => `'${newId()}'`,
  text: () => `'text-${newId()}'`,
  bytea: () => `'\\x${randomBytes(32).toString('hex')}'`,
  smallint: () => '1',
  integer: () => '1',
  bigint: () => '1',
  real: () => '1',
  'double precision': () => '1',
  boolean: () => 'true',
  jsonb: () => `'{}'`,
  pg_lsn: () => `'0/1'`,
  date: () => 'current_date',
  'timestamp with time zone': () => 'now()',
  'halfvec(1024)': () => `'[1${',0'.repeat(1023)}]'`,
  'sparsevec(536870912)': () => `'{1:1}/536870912'`,
  'sparsevec(16000)': () => `'{1:1}/16000'`,
};

/** One row of each table, made from nothing but the catalog, and made so that all refer to each other. */
export class TenantRows {
  private readonly rows = new Map<string, Row>();
  private readonly owner: RowOwner;

  constructor(owner: RowOwner) {
    this.owner = owner;
    const company = `'${owner.companyId}'`;
    const team = `'${owner.teamId}'`;
    this.rows.set('identity.company', { id: company });
    this.rows.set('identity.account', { company_id: company, id: `'${owner.ownerId}'` });
    this.rows.set('identity.team', { company_id: company, id: team });
    // Triggers have inserted it.
    const layer = `'${owner.clientId ?? owner.teamId}'`;
    this.rows.set('identity.layer', { company_id: company, team_id: team, id: layer });
    if (owner.clientId !== null) {
      this.rows.set('identity.client', { company_id: company, team_id: team, id: `'${owner.clientId}'` });
    }
  }

  /** Inserts a row into each of the tables, except those that already have one. */
  async insertAll(database: Queryable, tables: readonly CatalogTable[]): Promise<void> {
    for (const table of tables) {
      if (this.rows.has(table.name)) continue;
      const row = this.make(table);
      await database.query(`${insertion(table, row)} on conflict do nothing`);
      this.rows.set(table.name, row);
    }
  }

  /** An INSERT of a new row that would belong to the owner. */
  insertion(table: CatalogTable): string {
    return insertion(table, this.make(table));
  }

  private make(table: CatalogTable): Row {
    const row: Row = {};
    for (const column of table.columns) {
      const literal = this.literal(table, column);
      if (literal !== null) row[column.name] = literal;
    }
    return row;
  }

  private literal(table: CatalogTable, column: Column): string | null {
    const chosen = CHOSEN[table.name]?.[column.name];
    if (chosen !== undefined) return chosen;
    for (const { table: other, columns, to } of table.references) {
      const place = columns.indexOf(column.name);
      const referred = place === -1 ? undefined : this.rows.get(other)?.[to[place] ?? ''];
      if (referred !== undefined) return referred;
    }
    const known = UUID_OF[column.name]?.(this.owner);
    if (known !== undefined && known !== null) return `'${known}'`;
    if (column.optional) return null;
    const allowed = table.checks
      .find((check) => check.includes(`(${column.name} = ANY`) || check.includes(`("${column.name}" = ANY`))
      ?.match(/'([^']*)'::/)?.[1];
    if (allowed !== undefined) return `'${allowed}'`;
    if (column.type.endsWith('[]')) return `'{}'`;
    const make = LITERALS[column.type];
    if (make === undefined) {
      throw new Error(
        `no value for ${table.name}.${column.name}: name one in CHOSEN, or ${column.type} in LITERALS`,
      );
    }
    return make();
  }
}

function insertion(table: CatalogTable, row: Row): string {
  return `insert into ${table.name} (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`;
}
