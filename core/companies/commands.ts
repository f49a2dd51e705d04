import { type ScopedTransaction, withinScope } from '../../db/driver/database.ts';
import {
  endCompany as closeCompany,
  hasUsedTeam,
  insertCompany,
  lockAllAccounts,
  lockAllTeams,
  lockOpenCompany,
  updateCompanyName,
} from '../../db/queries/companies.ts';
import { endAllMails } from '../../db/queries/mail.ts';
import { findInvitedOwner, revokeAllInvites } from '../../db/queries/people/invites.ts';
import { listOwners } from '../../db/queries/people/members.ts';
import { deleteTeam, insertTeam } from '../../db/queries/teams.ts';
import type { Identity } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_RESET_LINK_SECONDS } from '../../shared/schemas/accounts.ts';
import type { Company, NewCompany } from '../../shared/schemas/companies.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { lockCaller, lockCompanyAs, lockOpenAccount } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import { createMailedResetLink } from '../accounts/links.ts';
import type { Dependencies } from '../dependencies.ts';
import type { MailDependencies } from '../mail/commands.ts';
import { issueInvite } from '../people/invites.ts';

/**
 * Renames the Company of the caller.
 * @throws ServiceError `unauthenticated`, `company_role_required`
 */
export function renameCompany(
  { database }: Pick<Dependencies, 'database'>,
  caller: Identity,
  name: string,
): Promise<Company> {
  const { companyId: id } = caller;
  return runCommand(database, companyScope(caller), {
    lock: (tx) => lockCompanyAs(tx, 'owner'),
    apply: async (tx, role) => {
      const from = await updateCompanyName(tx, name);
      const result = { id, name, role };
      if (from === name) return { result, audit: [] };
      const detail = { from, to: name };
      return {
        result,
        audit: [{ kind: 'company.rename', subjectType: 'company', subjectId: id, detail }],
      };
    },
  });
}

/*
 * The commands of the operator, who has the service's own token: about other Companies, on behalf of the server principal. Their
 * audit events belong to the Company of the principal, the first one.
 */

type Transaction = ScopedTransaction<CompanyScope>;

/**
 * Runs a part of a command of the operator in the scope of another Company. No account of that Company acts, and it must not be
 * shown an account of another one, so what is made there has the Company itself as its creator.
 */
const within = <T>(tx: Transaction, companyId: string, fn: (own: Transaction) => Promise<T>): Promise<T> =>
  withinScope(tx, companyScope({ companyId, userId: companyId }), fn);

/**
 * Locks the operator, and then the other Company.
 * @returns the name of the Company
 * @throws ServiceError `unauthenticated`, `not_found` if the Company does not exist or was ended
 */
async function lockOtherCompany(tx: Transaction, companyId: string): Promise<string> {
  await lockCaller(tx, 'share');
  const name = await within(tx, companyId, lockOpenCompany);
  if (name === null) throw new ServiceError('not_found');
  return name;
}

/** A new Company, with its first Team and who is to be its Owner. */
export interface CompanyDraft {
  name: string;
  teamName: string;
  /** In canonical form. */
  ownerEmail: string;
  /** Where the link leads, without a slash at the end. */
  base: string;
}

/**
 * Makes a Company with a Team, and the invitation that makes its Owner. With mail, another link of it is mailed to the Owner.
 * @param operator the scope of the server principal
 * @throws ServiceError `unauthenticated`
 */
export function createCompany(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  operator: CompanyScope,
  { name, teamName, ownerEmail: email, base }: CompanyDraft,
): Promise<NewCompany> {
  const id = newId();
  return runCommand(database, operator, {
    lock: (tx) => lockCaller(tx, 'share'),
    apply: async (tx) => {
      const { result, enqueue } = await within(tx, id, async (own) => {
        const createdAt = await insertCompany(own, name);
        const team = await insertTeam(own, { id: newId(), name: teamName });
        if (team === null) throw new Error('a new Company has a Team already');
        const issued = await issueInvite(own, { teamId: null, email, role: 'owner', base }, mail);
        const { invite, token, url } = issued.result;
        const company = { id, name, createdAt, members: 0, teams: 1 };
        return {
          result: { company, team, token, url, expiresAt: invite.expiresAt },
          enqueue: issued.enqueue,
        };
      });
      const detail = { name, teamId: result.team.id };
      return {
        result,
        audit: [{ kind: 'companies.create', subjectType: 'company', subjectId: id, detail }],
        ...(enqueue && { enqueue }),
      };
    },
  });
}

/** A link with which someone becomes the Owner of a Company, or sets the password of one, and what enqueues its mail. */
interface OwnerLink extends Pick<Applied<unknown>, 'enqueue'> {
  url: string;
  expiresAt: string;
  /** The id of the invitation or of the reset link. */
  id: string;
  kind: 'invitation' | 'reset';
}

/**
 * Makes a link for the Owner of a Company: while it has none, a new invitation in place of the one before; otherwise a reset link.
 * With mail, another one is mailed to the Owner.
 * @param operator the scope of the server principal
 * @param link.email in canonical form; null: of the only Owner, or that of the invitation before
 * @throws ServiceError `unauthenticated`, `not_found` for an unknown Company and an email of no Owner, `invalid_request` if the
 *   email is required, `rate_limited`
 */
export function createOwnerLink(
  { database, ...mail }: Pick<Dependencies, 'database'> & MailDependencies,
  operator: CompanyScope,
  link: { companyId: string; email: string | null; base: string },
): Promise<{ url: string; expiresAt: string }> {
  const { companyId } = link;
  return runCommand(database, operator, {
    lock: (tx) => lockOtherCompany(tx, companyId),
    apply: async (tx) => {
      const made = await within(tx, companyId, (own) => makeOwnerLink(own, link, mail));
      const { url, expiresAt, id: linkId, kind, enqueue } = made;
      const detail = { linkId, kind };
      return {
        result: { url, expiresAt },
        audit: [{ kind: 'companies.owner_link', subjectType: 'company', subjectId: companyId, detail }],
        ...(enqueue && { enqueue }),
      };
    },
  });
}

async function makeOwnerLink(
  own: Transaction,
  { email, base }: { email: string | null; base: string },
  mail: MailDependencies,
): Promise<OwnerLink> {
  const owners = await listOwners(own);
  if (owners.length === 0) {
    const invited = email ?? (await findInvitedOwner(own));
    if (invited === null) throw invalidField('/email', 'is required, because no invitation is left');
    // Of another email too: it would make a second Owner.
    await revokeAllInvites(own);
    const draft = { teamId: null, email: invited, role: 'owner', base } as const;
    const { result, enqueue } = await issueInvite(own, draft, mail);
    const { id, expiresAt } = result.invite;
    return { url: result.url, expiresAt, id, kind: 'invitation', ...(enqueue && { enqueue }) };
  }
  if (email === null && owners.length > 1)
    throw invalidField('/email', 'is required, because the Company has several Owners');
  const owner = owners.find((each) => email === null || each.email === email);
  if (owner === undefined) throw new ServiceError('not_found');
  const { userId } = owner;
  await lockOpenAccount(own, userId);
  const ttlSeconds = DEFAULT_RESET_LINK_SECONDS;
  const { result, id, enqueue } = await createMailedResetLink(own, mail, { userId, base, ttlSeconds });
  return { ...result, id, kind: 'reset', ...(enqueue && { enqueue }) };
}

/**
 * Ends a Company that is not used: closes its accounts, revokes its links, leaves out its mails that wait, and deletes its Teams
 * and its secrets. Its audit events stay.
 * @param operator the scope of the server principal
 * @param named.name the name of the Company, so that none ends by a mistake in its id
 * @throws ServiceError `unauthenticated`, `not_found`, `conflict` for the first Company, and for one with a Team that has records
 *   or other members than its Owner, `invalid_request` for another name
 */
export function endCompany(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  operator: CompanyScope,
  { companyId, name }: { companyId: string; name: string },
): Promise<void> {
  return runCommand(database, operator, {
    lock: async (tx) => {
      const present = await lockOtherCompany(tx, companyId);
      if (companyId === operator.companyId)
        throw new ServiceError('conflict', 'The first Company cannot be ended');
      if (present !== name) throw invalidField('/name', 'is not the name of this Company');
      return within(tx, companyId, async (own) => {
        await lockAllAccounts(own);
        return lockAllTeams(own);
      });
    },
    apply: async (tx, teamIds) => {
      await within(tx, companyId, async (own) => {
        if (await hasUsedTeam(own)) {
          throw new ServiceError(
            'conflict',
            'A Team of the Company has records or other members than its Owner; its Owners must delete the Team first',
          );
        }
        await revokeAllInvites(own);
        await endAllMails(own);
        for (const teamId of teamIds) await deleteTeam(own, teamId);
        await closeCompany(own);
      });
      return {
        result: undefined,
        audit: [
          { kind: 'companies.end', subjectType: 'company', subjectId: companyId, detail: { name, teamIds } },
        ],
        enqueue: async () => {
          for (const teamId of teamIds)
            await queue.enqueue(tx, 'team.purge', { companyId, teamId, userId: companyId });
        },
      };
    },
  });
}
