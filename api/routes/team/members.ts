import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForAdmin } from '../../../core/access/lock-and-recheck.ts';
import { revokeOutgrownInvites } from '../../../core/identity/invites.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import {
  countTeamMembers,
  deleteTeamMember,
  listTeamMembers,
  upsertTeamMember,
} from '../../../db/queries/identity/members.ts';
import {
  appointsTeamOwners,
  changesTeamRole,
  holdsRole,
  type Standing,
  type TeamRole,
} from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Member, RoleRequest } from '../../../shared/schemas/identity.ts';
import { standingInTeam, withFullAccess } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const NOT_BY_YOU = 'A Team Owner is appointed and changed by Owners alone';

/**
 * The member whose role is to change, once the caller may change it so.
 * @param to the role to come, or null where the membership ends
 */
async function findChangeable(
  tx: TeamTransaction,
  caller: Standing,
  userId: string,
  to: TeamRole | null,
): Promise<Member> {
  const [member] = await listTeamMembers(tx, ONE, userId);
  if (member === undefined) throw new ServiceError('not_found');
  if (!changesTeamRole(caller, member.role, to)) throw new ServiceError('forbidden', NOT_BY_YOU);
  return member;
}

/** A Team keeps an Owner. The Team is locked: two Owners cannot take the role from each other at once. */
async function assertNotLastOwner(tx: TeamTransaction, member: Member): Promise<void> {
  if (member.role === 'owner' && (await countTeamMembers(tx)).owners <= 1)
    throw new ServiceError('last_owner');
}

/** Withdraws what hung on the role: invites that were made by it, and those that would bring it back. */
async function revokeInvitesWithRole(tx: TeamTransaction, { userId, email }: Member): Promise<string[]> {
  const { teamId } = tx.scope;
  return [...(await revokeOutgrownInvites(tx, userId)), ...(await revokeInvitesTo(tx, { email, teamId }))];
}

async function changeRole(tx: TeamTransaction, userId: string, role: TeamRole): Promise<Member> {
  const { team, caller } = await lockTeamForAdmin(tx, [userId]);
  const member = await findChangeable(tx, caller, userId, role);
  assertActive(team);
  if (member.role === role) return member;
  await assertNotLastOwner(tx, member);
  await upsertTeamMember(tx, { teamId: tx.scope.teamId, userId, role });
  const lowered = holdsRole(member.role, role);
  const revokedInvites = lowered ? await revokeInvitesWithRole(tx, member) : [];
  insertAuditEvents(tx, [
    {
      kind: 'team.member_role',
      subjectType: 'account',
      subjectId: userId,
      detail: { from: member.role, to: role, revokedInvites },
    },
  ]);
  return { ...member, role };
}

async function remove(tx: TeamTransaction, userId: string): Promise<void> {
  // Also from an archived Team, which gives up whom it let in.
  const { caller } = await lockTeamForAdmin(tx, [userId]);
  const member = await findChangeable(tx, caller, userId, null);
  await assertNotLastOwner(tx, member);
  await deleteTeamMember(tx, userId);
  const revokedInvites = await revokeInvitesWithRole(tx, member);
  insertAuditEvents(tx, [
    {
      kind: 'team.member_remove',
      subjectType: 'account',
      subjectId: userId,
      detail: { role: member.role, revokedInvites },
    },
  ]);
}

/** /v1/team/members: who has a role in the Team. */
export const teamMembersRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/team/members',
    {
      schema: {
        summary: 'Members of the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Member) },
      },
    },
    async ({ teamScope, query }) => {
      return answerPage(query, (part) => transaction(database, teamScope, (tx) => listTeamMembers(tx, part)));
    },
  );

  app.patch(
    '/v1/team/members/:userId',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Change a role in the Team',
        description:
          'With the power to invite go the open invites. 403 `forbidden` where a Team Owner is concerned and you ' +
          'are an Owner neither of the Team nor of the Company; 409 `last_owner` for the last Team Owner.',
        tags: ['team'],
        params: UserParams,
        body: RoleRequest,
        response: { 200: Member },
      },
    },
    async (request) => {
      const { role } = request.body;
      // Before anything of the member is looked at: it is for the caller's role alone to say.
      if (role === 'owner' && !appointsTeamOwners(standingInTeam(request))) {
        throw new ServiceError('forbidden', NOT_BY_YOU);
      }
      const userId = knownId(request.params.userId);
      return transaction(database, request.teamScope, (tx) => changeRole(tx, userId, role));
    },
  );

  app.delete(
    '/v1/team/members/:userId',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Remove someone from the Team',
        description: 'The role and the grants for clients end. Refusals as for a change of the role.',
        tags: ['team'],
        params: UserParams,
        response: { 204: { type: 'null', description: 'Removed' } },
      } as const,
    },
    async (request, reply) => {
      const userId = knownId(request.params.userId);
      await transaction(database, request.teamScope, (tx) => remove(tx, userId));
      reply.code(204);
    },
  );
};
