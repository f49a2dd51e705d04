import type { CompanyRole } from '../../../shared/access.ts';
import type { ErasedMember } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';
import { deleteSearchTexts } from './audit.ts';

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
 * Replaces the name of a closed account by a pseudonym, and deletes its email, its reset links, its agent tokens, stored
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
