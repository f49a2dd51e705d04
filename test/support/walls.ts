import { type Database, type Queryable, transaction } from '../../db/database.ts';
import type { Scope, TeamScope } from '../../shared/scope.ts';
import { createTestCompany, type TestCompany } from './database.ts';
import { addClient, addTeam, ownerScope } from './scopes.ts';
import { type CatalogTable, readTables, TenantRows } from './tenant-rows.ts';

/** Tables of the deployment, which hold nobody's data. Every other table is a tenant's. */
const SHARED_TABLES = [
  'memory.migration',
  'memory.deployment',
  'memory.worker',
  'identity.request_count',
  'identity.failed_password',
];
/** Numbers made of texts: the role may write them, and functions alone read them. */
export const DERIVED_TABLES = [
  'memory.chunk_keyword',
  'memory.chunk_embedding',
  'memory.keyword_df',
  'memory.keyword_team',
];
/** A Team's audit is told to those with full access alone, who reach every layer. */
export const WITHOUT_LAYERS = ['memory.audit_event'];

/** SQLSTATE of what a privilege or a policy refuses. */
export const DENIED = '42501';

/** Whether the table has the column. */
export const hasColumn = (table: CatalogTable, name: string) =>
  table.columns.some((column) => column.name === name);

/** The column that says whose a row is: the Team in memory, the Company in identity. */
export function wallOf(table: CatalogTable): 'team_id' | 'company_id' | 'id' {
  if (table.name.startsWith('memory.') && hasColumn(table, 'team_id')) return 'team_id';
  return table.name === 'identity.company' ? 'id' : 'company_id';
}

/** What stands in that column of the Team's rows. */
export const ownId = (table: CatalogTable, team: TestCompany) =>
  wallOf(table) === 'team_id' ? team.teamId : team.companyId;

/** The rows of a table that belong to the Team or its Company, as a condition. */
export const belongsTo = (table: CatalogTable, team: TestCompany) =>
  `${wallOf(table)} = '${ownId(table, team)}'`;

/** Counts rows of a table. */
export async function count(tx: Queryable, table: CatalogTable, where: string): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(`select count(*) as rows from ${table.name} where ${where}`);
  return row?.rows ?? 0;
}

class RollBack extends Error {}

/**
 * Runs a statement as the service within a scope and tells what became of it: refused, or what `look` sees
 * afterwards as the owner of the tables. Nothing of it stays.
 */
export async function attempt<T>(
  database: Database,
  scope: Scope,
  statement: string,
  look: (tx: Queryable, rows: object[]) => Promise<T> | T,
): Promise<T | 'refused'> {
  let seen: T | 'refused' = 'refused';
  try {
    await transaction(database, scope, async (tx) => {
      const rows = await tx.query(statement);
      await tx.query(`select set_config('role', 'none', true)`);
      seen = await look(tx, rows);
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack) && (error as { code?: unknown }).code !== DENIED) throw error;
  }
  return seen;
}

/** Someone who tries to reach what is not theirs. */
export interface Attacker {
  name: 'neighbour' | 'stranger';
  team: TestCompany;
  scope: TeamScope;
  /** The tables that must show it nothing of the victim. */
  tables: CatalogTable[];
}

/** A Team with rows of its own layer and of a client's in every table, which no one else may reach. */
export interface Walls {
  tables: CatalogTable[];
  victim: TestCompany;
  victimClient: string;
  attackers: Attacker[];
}

/** Fills every tenant table of the catalog for one Team, and makes one beside it and one in another Company. */
export async function raiseWalls(database: Database): Promise<Walls> {
  const tables = (await readTables(database)).filter((table) => !SHARED_TABLES.includes(table.name));
  const victim = await createTestCompany(database);
  const victimClient = await addClient(database, victim);
  for (const clientId of [victimClient, null]) {
    await new TenantRows({ ...victim, clientId }).insertAll(database, tables);
  }
  const teams = { neighbour: await addTeam(database, victim), stranger: await createTestCompany(database) };
  const attackers: Attacker[] = [];
  for (const name of ['neighbour', 'stranger'] as const) {
    const team = teams[name];
    // Claims that name the victim's client as well: the Team must hold where the client's id does not.
    const scope = ownerScope(team, [await addClient(database, team), victimClient]);
    // Accounts and Teams are the Company's, so the neighbour may know of them.
    const closed = tables.filter((table) => name === 'stranger' || wallOf(table) === 'team_id');
    attackers.push({ name, team, scope, tables: closed });
  }
  return { tables, victim, victimClient, attackers };
}
