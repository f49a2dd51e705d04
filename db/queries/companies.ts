import type { HostedCompany } from '../../shared/schemas/companies.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { ScopedTransaction } from '../driver/database.ts';
import { call } from './call.ts';
import { type ListPart, type LockStrength, ROW_LOCKS, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

/**
 * Locks the Company until the transaction ends. `share`: nobody is removed or erased. `update`: also changes of its roles,
 * and of the names of its Teams, run one after another. Otherwise two Owners could demote each other.
 */
export async function lockCompany(tx: ScopedTransaction, strength: LockStrength): Promise<void> {
  await tx.query(`select from identity.company where id = $1 ${ROW_LOCKS[strength]}`, [tx.scope.companyId]);
}

/** Renames the Company. Lock it before. @returns its name before */
export async function updateCompanyName(tx: ScopedTransaction<CompanyScope>, name: string): Promise<string> {
  const [before] = await tx.query<{ name: string }>('select name from identity.company where id = $1', [
    tx.scope.companyId,
  ]);
  if (before === undefined) throw new Error('the Company does not exist');
  await tx.query('update identity.company set name = $2 where id = $1', [tx.scope.companyId, name]);
  return before.name;
}

/** Inserts the Company of the scope. */
export async function insertCompany(tx: ScopedTransaction<CompanyScope>, name: string): Promise<string> {
  const [row] = await tx.query<{ createdAt: Date }>(
    'insert into identity.company (id, name) values ($1, $2) returning created_at as "createdAt"',
    [tx.scope.companyId, name],
  );
  if (row === undefined) throw new Error('the Company was not inserted');
  return wireTime(row.createdAt);
}

/** Lists all Companies of the deployment, newest first, for the server principal. */
export async function listCompanies(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
): Promise<HostedCompany[]> {
  const rows = await queryList<Omit<HostedCompany, 'createdAt'> & { createdAt: Date }>(
    tx,
    part,
    `select c.id, c.name, c.created_at as "createdAt", c.members, c.teams from identity.list_companies() c
      where ($after::uuid is null or c.id < $after) order by c.id desc limit $limit`,
    {},
  );
  return rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) }));
}

/**
 * Locks the Company until the transaction ends, as `lockCompany` with `update` does.
 * @returns its name; null if it does not exist or was ended
 */
export async function lockOpenCompany(tx: ScopedTransaction<CompanyScope>): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(
    `select name from identity.company where id = $1 and ended_at is null ${ROW_LOCKS.update}`,
    [tx.scope.companyId],
  );
  return row?.name ?? null;
}

/** Locks all open accounts of the Company until the transaction ends, as `lockAccounts` with `update` does. */
export async function lockAllAccounts(tx: ScopedTransaction<CompanyScope>): Promise<void> {
  await tx.query(
    `select from identity.account where company_id = $1 and closed_at is null order by id ${ROW_LOCKS.update}`,
    [tx.scope.companyId],
  );
}

/** Locks all Teams of the Company until the transaction ends, as `lockTeam` with `update` does. @returns their ids */
export async function lockAllTeams(tx: ScopedTransaction<CompanyScope>): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from identity.team where company_id = $1 and deleted_at is null order by id ${ROW_LOCKS.update}`,
    [tx.scope.companyId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Whether a Team of the Company is in use: it has a record, or members other than one Owner, with whom it was made. Lock the Teams
 * before.
 */
export async function hasUsedTeam(tx: ScopedTransaction<CompanyScope>): Promise<boolean> {
  const shared = await tx.query(
    `select from identity.team_member where company_id = $1
      group by team_id having count(*) > 1 or bool_or(role <> 'owner') limit 1`,
    [tx.scope.companyId],
  );
  return shared.length > 0 || (await call(tx, 'memory.company_has_records'));
}

/**
 * Ends the Company: closes its accounts and deletes their secrets. The Company and what its audit events name stay. Lock it, its
 * accounts and its Teams before, and delete the Teams.
 */
export async function endCompany(tx: ScopedTransaction<CompanyScope>): Promise<void> {
  for (const statement of [
    'delete from identity.session where company_id = $1',
    'delete from identity.reset_link where company_id = $1',
    `update identity.account set closed_at = now(), password_hash = null where company_id = $1 and closed_at is null`,
    'update identity.company set ended_at = now() where id = $1',
  ]) {
    await tx.query(statement, [tx.scope.companyId]);
  }
}
