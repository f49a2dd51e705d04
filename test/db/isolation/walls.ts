import assert from 'node:assert/strict';
import { type Database, type Queryable, transaction } from '../../../db/driver/database.ts';
import { companyScope, type Scope } from '../../../shared/scope.ts';
import { createTestCompany, type TestCompany } from '../../support/needs/database.ts';
import { addClient, addTeam, ownerScope } from '../../support/scopes.ts';
import { type CatalogTable, readTables, TenantRows } from '../../support/tenant-rows.ts';

/**
 * Tables of the deployment. Every other table is a tenant's. None holds somebody's data, except requests for reset links: an address
 * that belongs to no Company, which functions alone read.
 */
const SHARED_TABLES = [
  'memory.migration',
  'memory.function_file',
  'memory.deployment',
  'memory.worker',
  'memory.job_tally',
  'memory.blob_place',
  'identity.request_count',
  'identity.failed_password',
  'identity.reset_request',
];
/** Numbers made of texts, which the role may write, and figures of functions: functions alone read them. */
export const DERIVED_TABLES = [
  'memory.chunk_keyword',
  'memory.chunk_embedding',
  'memory.keyword_layer',
  'memory.keyword_slice',
  'memory.keyword_team',
  'memory.layer_tally',
  'memory.kept_source',
  'memory.kept_chunk',
  'memory.usage_tally',
  'memory.original',
  'identity.caller_change',
  'identity.layer',
  'identity.team_withdrawal',
];
/** Seals of the audit: functions alone write and read them, for the Company of the claims. */
export const SEAL_TABLES = ['memory.audit_seal', 'memory.audit_unsealed'];
/** A Company's Owners read the audit of every layer, so what shows of it has tests of its own. */
export const WITHOUT_LAYERS = ['memory.audit_event', 'memory.audit_search'];

/** SQLSTATE of a statement that a privilege or a policy refuses. */
export const DENIED = '42501';

/** Whether the table has the column. */
export const hasColumn = (table: CatalogTable, name: string) =>
  table.columns.some((column) => column.name === name);

/** Which wall is tried: that between Companies, or that between two Teams of one Company. */
export type Wall = 'company' | 'team';
type WallColumn = 'team_id' | 'company_id' | 'id';

/** Whether a table of the schema holds what belongs to one Team and its layers; the other schema holds people. */
export const isMemory = (table: CatalogTable) => table.name.startsWith('memory.');

/** The column that says which Team a row is of; null for what is the Company's, whose every Team may know of it. */
export function teamColumn(table: CatalogTable): WallColumn | null {
  if (table.name === 'identity.team') return 'id';
  return hasColumn(table, 'team_id') ? 'team_id' : null;
}

/** The column that says on which side of the wall a row is. Memory has only Teams, except its audit. */
export function wallOf(table: CatalogTable, wall: Wall): WallColumn {
  const team = teamColumn(table);
  if (team !== null && (wall === 'team' || isMemory(table))) return team;
  return table.name === 'identity.company' ? 'id' : 'company_id';
}

/** What stands in that column of the Team's rows. */
export function ownId(table: CatalogTable, team: TestCompany, wall: Wall): string {
  const column = wallOf(table, wall);
  return column !== 'company_id' && column === teamColumn(table) ? team.teamId : team.companyId;
}

/** The rows of a table that belong to the Team or its Company, as a condition. */
export const belongsTo = (table: CatalogTable, team: TestCompany, wall: Wall) =>
  `${wallOf(table, wall)} = '${ownId(table, team, wall)}'`;

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

/** Asserts that a scope reads no row of a table, among those that a condition names. */
export async function assertReadsNothing(
  database: Database,
  scope: Scope,
  { name }: CatalogTable,
  where = 'true',
): Promise<void> {
  const shown = await attempt(
    database,
    scope,
    `select 1 from ${name} where ${where}`,
    (_, rows) => rows.length,
  );
  assert.ok(shown === 'refused' || shown === 0, `reads ${name} where ${where}`);
}

/** Asserts that statements of a scope leave the rows of a table that a condition names, of which there are some. */
export async function assertLeaves(
  database: Database,
  scope: Scope,
  table: CatalogTable,
  where: string,
  statements: readonly string[],
): Promise<void> {
  const there = await count(database, table, where);
  assert.ok(there > 0, table.name);
  for (const statement of statements) {
    const left = await attempt(database, scope, statement, (tx) => count(tx, table, where));
    assert.ok(left === 'refused' || left === there, statement);
  }
}

/** Someone who tries to reach what is not theirs: from a Team beside it, from one of another Company, or from there. */
export interface Attacker {
  name: 'neighbour' | 'stranger' | 'other Company';
  wall: Wall;
  team: TestCompany;
  scope: Scope;
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
  const beside = await addTeam(database, victim);
  const elsewhere = await createTestCompany(database);
  // Claims that name the victim's client as well: the Team must hold where the client's id does not.
  const claims = async (team: TestCompany) =>
    ownerScope(team, [await addClient(database, team), victimClient]);
  const attackers: Attacker[] = [
    {
      name: 'neighbour',
      wall: 'team',
      team: beside,
      scope: await claims(beside),
      // Accounts are the Company's, so the neighbour may know of them.
      tables: tables.filter((table) => teamColumn(table) !== null),
    },
    { name: 'stranger', wall: 'company', team: elsewhere, scope: await claims(elsewhere), tables },
    {
      name: 'other Company',
      wall: 'company',
      team: elsewhere,
      scope: companyScope({ companyId: elsewhere.companyId, userId: elsewhere.ownerId }),
      // To claims of a Company, what a Team remembers is closed in any case.
      tables: tables.filter(
        (table) => !isMemory(table) || [...WITHOUT_LAYERS, ...SEAL_TABLES].includes(table.name),
      ),
    },
  ];
  return { tables, victim, victimClient, attackers };
}
