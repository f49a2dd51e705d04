import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { findAccountByEmail, lockAccounts } from '../../../db/queries/identity/accounts.ts';
import { upsertTeamMember } from '../../../db/queries/identity/members.ts';
import { insertTeam } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { Invite, Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCompanyAs } from '../../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createInvite } from '../invites.ts';
import { teamNameTaken } from '../taken-names.ts';

/** The Owner of a new Team, as the request names them: an account, or an email in canonical form. */
export type NamedOwner = { userId: string } | { email: string };

interface TeamDraft {
  name: string;
  /** Null for the caller. */
  owner: NamedOwner | null;
  /** Where the link of the invite leads, without a slash at the end. */
  base: string;
}

/** A new Team. The rest is null unless its Owner was invited. */
export interface CreatedTeam {
  team: Team;
  invite: Invite | null;
  token: string | null;
  url: string | null;
}

/**
 * Creates a Team. Only an account becomes its Owner at once. An email is always invited, also if an account has it: a
 * person can change their email without a proof that it is theirs. Until the invite is accepted, the Team has no Owner.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found` if the Company has no such open account,
 *   `conflict` if another Team has the name
 */
export function createTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  draft: TeamDraft,
): Promise<CreatedTeam> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCompanyAs(tx, 'admin');
      return lockOwner(tx, draft.owner);
    },
    apply: (tx, owner) => apply(tx, owner, draft),
  });
}

/** Locks the account of the Owner, so that it cannot be closed during the transaction. The caller's is locked already. */
async function lockOwner(tx: ScopedTransaction<CompanyScope>, named: NamedOwner | null): Promise<NamedOwner> {
  const caller = { userId: tx.scope.userId };
  if (named === null) return caller;
  if ('userId' in named) {
    const open = await lockAccounts(tx, [named.userId], 'share');
    if (!open.has(named.userId)) throw new ServiceError('not_found');
    return named;
  }
  const account = await findAccountByEmail(tx, named.email);
  return account?.userId === caller.userId ? caller : named;
}

async function apply(
  tx: ScopedTransaction<CompanyScope>,
  owner: NamedOwner,
  { name, base }: TeamDraft,
): Promise<Applied<CreatedTeam>> {
  const team = await insertTeam(tx, { id: newId(), name });
  if (team === null) throw teamNameTaken();
  const teamId = team.id;
  const detail = { name, ownerId: 'userId' in owner ? owner.userId : null };
  const created = { kind: 'team.create', subjectType: 'team', subjectId: teamId, teamId, detail } as const;
  if ('email' in owner) {
    const { result, audit } = await createInvite(tx, { teamId, email: owner.email, role: 'owner', base });
    return { result: { team, ...result }, audit: [created, ...audit] };
  }
  await upsertTeamMember(tx, { teamId, userId: owner.userId, role: 'owner' });
  return { result: { team, invite: null, token: null, url: null }, audit: [created] };
}
