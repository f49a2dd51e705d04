import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { findAccountByEmail, lockOpenAccounts } from '../../../db/queries/identity/accounts.ts';
import { upsertTeamMember } from '../../../db/queries/identity/members.ts';
import { insertTeam } from '../../../db/queries/identity/teams.ts';
import { newId } from '../../../shared/ids.ts';
import type { Invite, Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createInvite } from '../invites.ts';
import { teamNameTaken } from '../taken-names.ts';

interface TeamDraft {
  name: string;
  /** In canonical form. Null for the caller. */
  ownerEmail: string | null;
  /** Where the link of the invite leads, without a slash at the end. */
  base: string;
}

/** A new Team. The rest is null if its Owner did not have to be invited. */
export interface CreatedTeam {
  team: Team;
  invite: Invite | null;
  token: string | null;
  url: string | null;
}

/** The person who will own a new Team: an open account of the Company, or an email to invite. */
type NewOwner = { userId: string } | { userId: null; email: string };

/**
 * Creates a Team with its Owner, who is invited if the email has no open account in the Company.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `conflict` if another Team has the name
 */
export function createTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  draft: TeamDraft,
): Promise<CreatedTeam> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      return lockOwner(tx, draft.ownerEmail);
    },
    apply: (tx, owner) => apply(tx, owner, draft),
  });
}

/** Finds the Owner. An account is locked, so that it cannot be closed during the transaction. */
async function lockOwner(tx: ScopedTransaction<CompanyScope>, ownerEmail: string | null): Promise<NewOwner> {
  if (ownerEmail === null) return { userId: tx.scope.userId };
  const account = await findAccountByEmail(tx, ownerEmail);
  const isOpen = account !== null && (await lockOpenAccounts(tx, [account.userId])).size > 0;
  return isOpen ? { userId: account.userId } : { userId: null, email: ownerEmail };
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  owner: NewOwner,
  { name, base }: TeamDraft,
): Promise<Applied<CreatedTeam>> {
  const { userId } = owner;
  const team = await insertTeam(tx, { id: newId(), name });
  if (team === null) throw teamNameTaken();
  const teamId = team.id;
  const detail = { name, ownerId: userId };
  const created = { kind: 'team.create', subjectType: 'team', subjectId: teamId, teamId, detail } as const;
  if (owner.userId === null) {
    const { result, audit } = await createInvite(tx, { teamId, email: owner.email, role: 'owner', base });
    return { result: { team, ...result }, audit: [created, ...audit] };
  }
  await upsertTeamMember(tx, { teamId, userId: owner.userId, role: 'owner' });
  return { result: { team, invite: null, token: null, url: null }, audit: [created] };
}
