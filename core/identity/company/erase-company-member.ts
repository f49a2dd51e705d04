import type { ScopedTransaction } from '../../../db/driver/database.ts';
import {
  type ErasableAccount,
  eraseAccount,
  lockErasableAccount,
  lockTeamsOfTokens,
} from '../../../db/queries/identity/erasure.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { pseudonymOf } from '../../../shared/formats/pseudonym.ts';
import type { ErasedMember } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { closeMember } from './close-member.ts';

/**
 * Erases a person for good, also one who was removed before. An open account is closed, as by a removal. Then the name is
 * replaced by a pseudonym, and the email, the invites to the person, reset links and agent tokens are deleted. What the
 * person wrote keeps the id of the account. Does nothing to an account that was erased already.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`, `last_owner`
 */
export function eraseCompanyMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  userId: string,
): Promise<ErasedMember> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      const account = await lockErasableAccount(tx, userId);
      if (account === null) throw new ServiceError('not_found');
      await lockTeamsOfTokens(tx, userId);
      return account;
    },
    apply,
  });
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  account: ErasableAccount,
): Promise<Applied<ErasedMember>> {
  if (account.erased !== null) return { result: account.erased, audit: [] };
  const { userId, email, role, isClosed } = account;
  const closed = isClosed ? null : await closeMember(tx, account);
  const name = pseudonymOf(userId);
  const { erasedAt, ...deleted } = await eraseAccount(tx, { userId, email, pseudonym: name });
  const { revokedInvites = [], deniedRequests = [], tokenEvents = [] } = closed ?? {};
  const detail = { role, wasRemoved: isClosed, revokedInvites, deniedRequests, ...deleted };
  return {
    result: { userId, name, erasedAt },
    audit: [
      { kind: 'company.member_erase', subjectType: 'account', subjectId: userId, detail },
      ...tokenEvents,
    ],
  };
}
