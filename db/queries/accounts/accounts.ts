import type { CompanyRole } from '../../../shared/access.ts';
import type { ErasedMember } from '../../../shared/schemas/people.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Queryable, ScopedTransaction } from '../../driver/database.ts';
import { deleteSearchTexts } from '../audit.ts';
import { type LockStrength, ROW_LOCKS, wireTime } from '../common.ts';
import { deleteMailsTo } from '../mail.ts';

/** What a login needs to check a password. */
export interface SignIn {
  userId: string;
  companyId: string;
  companyName: string;
  /** argon2id, in PHC format; null until a password is set. */
  passwordHash: string | null;
}

/** A login checks the accounts of an email in at most so many Companies. */
export const MAX_SIGN_INS = 4;

/**
 * Finds the open accounts of an email, those last used first, at most `MAX_SIGN_INS`. Needs no scope, because it runs before
 * the caller is known.
 * @param companyId finds only the account in this Company; null: in any
 */
export async function findSignIns(tx: Queryable, email: string, companyId: string | null): Promise<SignIn[]> {
  return tx.query<SignIn>(
    `select user_id as "userId", company_id as "companyId", company_name as "companyName",
            password_hash as "passwordHash"
       from identity.find_sign_ins($1, $2, $3)`,
    [email, companyId, MAX_SIGN_INS],
  );
}

/** Finds the open account of an email in a Company, as `findSignIns`. */
export async function findSignIn(tx: Queryable, email: string, companyId: string): Promise<SignIn | null> {
  const [found] = await findSignIns(tx, email, companyId);
  return found ?? null;
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

/**
 * Notes that the scope's user has proved that the email of the account is theirs.
 * @param email the one that was proved, which the account can have no longer; null: the present one
 */
export async function verifyAddress(
  tx: ScopedTransaction<CompanyScope>,
  email: string | null,
): Promise<void> {
  await tx.query(
    `update identity.account set verified_at = coalesce(verified_at, now())
      where company_id = $1 and id = $2 and email = coalesce($3, email)`,
    [tx.scope.companyId, tx.scope.userId, email],
  );
}

/** The fields of an account that its person changes. */
interface AccountFields {
  name: string;
  email: string;
}

/** Finds the account of the scope's user; null if it is closed. */
export async function findAccount(tx: ScopedTransaction): Promise<AccountFields | null> {
  const [row] = await tx.query<AccountFields>(
    'select name, email from identity.account where company_id = $1 and id = $2 and closed_at is null',
    [tx.scope.companyId, tx.scope.userId],
  );
  return row ?? null;
}

/**
 * Changes the name or the email of the scope's user. Absent fields do not change, and another email is not verified. Lock
 * the account before. Fails with a violation of `account_email` if another account of the Company has the email.
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
  await tx.query(
    `update identity.account
        set name = $3, email = $4, verified_at = case when email = $4 then verified_at end
      where company_id = $1 and id = $2`,
    [...values, after.name, after.email],
  );
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
 * Inserts an account of the Company, with the id of the scope's user. False: the email already has an account of the
 * Company.
 */
export async function insertAccount(
  tx: ScopedTransaction<CompanyScope>,
  account: { email: string; name: string; role: CompanyRole; passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into identity.account (company_id, id, email, name, role, password_hash)
     values ($1, $2, $3, $4, $5, $6) on conflict (email, company_id) where closed_at is null do nothing returning 1`,
    [tx.scope.companyId, tx.scope.userId, account.email, account.name, account.role, account.passwordHash],
  );
  return rows.length > 0;
}

/** Finds the open account of an email in the scope's Company; null if the Company has no such account. */
export async function findAccountByEmail(
  tx: ScopedTransaction,
  email: string,
): Promise<{ userId: string; role: CompanyRole; isVerified: boolean } | null> {
  const [row] = await tx.query<{ userId: string; role: CompanyRole; isVerified: boolean }>(
    `select id as "userId", role, verified_at is not null as "isVerified" from identity.account
      where company_id = $1 and email = $2 and closed_at is null`,
    [tx.scope.companyId, email],
  );
  return row ?? null;
}

/** An account of the Company, open or closed, or, if it was erased, what is left of it. */
export type ErasableAccount =
  | { erased: null; userId: string; email: string; role: CompanyRole; isClosed: boolean }
  | { erased: ErasedMember };

/**
 * Locks an account in any state until the transaction ends, and returns its current state. Lock the Company first. Null:
 * the Company has no account with this id.
 */
export async function lockErasableAccount(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
): Promise<ErasableAccount | null> {
  const [row] = await tx.query<{
    userId: string;
    name: string;
    email: string | null;
    role: CompanyRole;
    isClosed: boolean;
    erasedAt: Date | null;
  }>(
    `select id as "userId", name, email, role, closed_at is not null as "isClosed", erased_at as "erasedAt"
       from identity.account where company_id = $1 and id = $2 for no key update`,
    [tx.scope.companyId, userId],
  );
  if (row === undefined) return null;
  const { name, email, role, isClosed, erasedAt } = row;
  if (erasedAt !== null) return { erased: { userId: row.userId, name, erasedAt: wireTime(erasedAt) } };
  if (email === null) throw new Error('an account that was not erased has no email');
  return { erased: null, userId: row.userId, email, role, isClosed };
}

/**
 * Locks the Teams of a person's agent tokens until the transaction ends. A request that stores an answer for an
 * Idempotency-Key shares the lock of its Team, so an answer that names a token is stored before, and deleted with the
 * token, or written after, without its name. Lock the account before.
 */
export async function lockTeamsOfTokens(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  await tx.query(
    `select from identity.team
      where company_id = $1
        and id in (select t.team_id from identity.agent_token t where t.company_id = $1 and t.user_id = $2)
      order by id for no key update`,
    [tx.scope.companyId, userId],
  );
}

/** What was deleted with a person, as ids. */
export interface Erased {
  erasedAt: string;
  deletedInvites: string[];
  deletedTokens: string[];
}

/**
 * Replaces the name of a closed account by a pseudonym, and deletes its email, the mails to it, its reset links, its agent tokens, stored
 * answers that name these, the stored texts of its searches, and the invites to the person: those that they accepted, and
 * those to their email. Lock the
 * account and the Teams of its tokens first.
 */
export async function eraseAccount(
  tx: ScopedTransaction<CompanyScope>,
  { userId, email, pseudonym }: { userId: string; email: string; pseudonym: string },
): Promise<Erased> {
  const account = [tx.scope.companyId, userId];
  // If a newer account has the email now, the invites since this one was closed are that person's. An invite that was
  // accepted can have an earlier email of the person.
  const invites = await tx.query<{ id: string }>(
    `delete from identity.invite i
      where i.company_id = $1
        and (i.id in (select (e.detail ->> 'inviteId')::uuid from memory.audit_event e
                       where e.company_id = $1 and e.subject_id = $2 and e.kind in ('auth.join', 'company.accept'))
             or i.email = $3
               and (not exists (select from identity.account n
                                 where n.company_id = $1 and n.email = $3 and n.closed_at is null)
                    or i.created_at <= (select a.closed_at from identity.account a
                                         where a.company_id = $1 and a.id = $2)))
     returning i.id`,
    [...account, email],
  );
  await tx.query('delete from identity.reset_link where company_id = $1 and user_id = $2', account);
  await deleteMailsTo(tx, email);
  await tx.query('select identity.erase_reset_requests($1)', [userId]);
  const tokens = await tx.query<{ id: string }>(
    'delete from identity.agent_token where company_id = $1 and user_id = $2 returning id',
    account,
  );
  const [deletedInvites, deletedTokens] = [invites.map(({ id }) => id), tokens.map(({ id }) => id)];
  await tx.query('select identity.erase_from_answers($1, $2::uuid[])', [userId, deletedTokens]);
  await deleteSearchTexts(tx, { userId });
  const [row] = await tx.query<{ erasedAt: Date }>(
    `update identity.account set name = $3, email = null, erased_at = now()
      where company_id = $1 and id = $2 and closed_at is not null returning erased_at as "erasedAt"`,
    [...account, pseudonym],
  );
  if (row === undefined) throw new Error('an open account cannot be erased');
  return { erasedAt: wireTime(row.erasedAt), deletedInvites, deletedTokens };
}
