import type { CompanyRole } from '../../../shared/access.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Queryable, ScopedTransaction } from '../../driver/database.ts';
import { type LockStrength, ROW_LOCKS } from '../fragments/locks.ts';

/** What a login needs to check a password. */
export interface SignIn {
  userId: string;
  companyId: string;
  /** argon2id, in PHC format; null until a password is set. */
  passwordHash: string | null;
}

/** Finds the open account of an email. Needs no scope, because it runs before the caller is known. */
export async function findSignIn(tx: Queryable, email: string): Promise<SignIn | null> {
  const [row] = await tx.query<SignIn>(
    `select user_id as "userId", company_id as "companyId", password_hash as "passwordHash"
       from identity.find_sign_in($1)`,
    [email],
  );
  return row ?? null;
}

/**
 * Locks open accounts of the Company until the transaction ends. `share`: none is closed and no role changes. `update`:
 * also changes of their passwords, sessions and reset links run one after another.
 * @returns the role in the Company of each account that is open
 */
export async function lockAccounts(
  tx: ScopedTransaction,
  userIds: readonly string[],
  strength: LockStrength,
): Promise<Map<string, CompanyRole>> {
  const rows = await tx.query<{ id: string; role: CompanyRole }>(
    `select id, role from identity.account
      where company_id = $1 and id = any ($2::uuid[]) and closed_at is null order by id ${ROW_LOCKS[strength]}`,
    [tx.scope.companyId, userIds],
  );
  return new Map(rows.map(({ id, role }) => [id, role]));
}

/** Sets the password of the scope's user. */
export async function updatePasswordHash(
  tx: ScopedTransaction<CompanyScope>,
  passwordHash: string,
): Promise<void> {
  await tx.query('update identity.account set password_hash = $3 where company_id = $1 and id = $2', [
    tx.scope.companyId,
    tx.scope.userId,
    passwordHash,
  ]);
}

/** The fields of an account that its person changes. */
interface AccountFields {
  name: string;
  email: string;
}

/**
 * Changes the name or the email of the scope's user. Absent fields do not change. Lock the account before. Fails with a
 * violation of `account_email` if another account has the email.
 */
export async function updateAccount(
  tx: ScopedTransaction<CompanyScope>,
  change: Partial<AccountFields>,
): Promise<{ before: AccountFields; after: AccountFields }> {
  const values = [tx.scope.companyId, tx.scope.userId];
  const [before] = await tx.query<AccountFields>(
    'select name, email from identity.account where company_id = $1 and id = $2',
    values,
  );
  if (before === undefined) throw new Error('the account to change does not exist');
  const after = { ...before, ...change };
  await tx.query('update identity.account set name = $3, email = $4 where company_id = $1 and id = $2', [
    ...values,
    after.name,
    after.email,
  ]);
  return { before, after };
}

/** Finds the account with this email that is an Owner of the Team or of the Company. Null if no such account exists. */
export async function findOwner(
  tx: ScopedTransaction<CompanyScope>,
  teamId: string,
  email: string,
): Promise<{ userId: string } | null> {
  const [row] = await tx.query<{ userId: string }>(
    `select a.id as "userId"
       from identity.account a
       join identity.team t on t.company_id = a.company_id and t.id = $2
       left join identity.team_member m on m.company_id = $1 and m.team_id = t.id and m.user_id = a.id
      where a.company_id = $1 and a.email = $3 and a.closed_at is null
        and t.deleted_at is null and (a.role = 'owner' or m.role = 'owner')`,
    [tx.scope.companyId, teamId, email],
  );
  return row ?? null;
}

/**
 * Inserts an account of the Company, with the id of the scope's user. False: the email already has an account, in this
 * Company or in another.
 */
export async function insertAccount(
  tx: ScopedTransaction<CompanyScope>,
  account: { email: string; name: string; role: CompanyRole; passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into identity.account (company_id, id, email, name, role, password_hash)
     values ($1, $2, $3, $4, $5, $6) on conflict (email) where closed_at is null do nothing returning 1`,
    [tx.scope.companyId, tx.scope.userId, account.email, account.name, account.role, account.passwordHash],
  );
  return rows.length > 0;
}

/** Finds the open account of an email in the scope's Company; null if the Company has no such account. */
export async function findAccountByEmail(
  tx: ScopedTransaction,
  email: string,
): Promise<{ userId: string; role: CompanyRole } | null> {
  const [row] = await tx.query<{ userId: string; role: CompanyRole }>(
    `select id as "userId", role from identity.account
      where company_id = $1 and email = $2 and closed_at is null`,
    [tx.scope.companyId, email],
  );
  return row ?? null;
}
