import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { lockCompanyAs } from '../../../core/access/lock-and-recheck.ts';
import { revokeOutgrownInvites } from '../../../core/identity/invites.ts';
import { type ScopedTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import { denyAccessRequestsOf } from '../../../db/queries/identity/access-requests.ts';
import { lockAccount } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { deleteCompanyGrants } from '../../../db/queries/identity/grants.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import {
  closeAccount,
  listCompanyMembers,
  readOwnership,
  updateCompanyRole,
} from '../../../db/queries/identity/members.ts';
import { type CompanyRole, holdsCompanyGrants, holdsRole } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Member, RoleRequest } from '../../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

type Transaction = ScopedTransaction<CompanyScope>;

async function findMember(tx: Transaction, userId: string): Promise<Member> {
  const [member] = await listCompanyMembers(tx, ONE, userId);
  if (member === undefined) throw new ServiceError('not_found');
  return member;
}

/** The last Owner stays one, and so does the server principal, as whom the service's own token acts. */
async function assertOwnerMayGo(tx: Transaction, { userId, role }: Member): Promise<void> {
  if (role !== 'owner') return;
  const { owners, isPrincipal } = await readOwnership(tx, userId);
  if (owners <= 1 || isPrincipal) throw new ServiceError('last_owner');
}

async function changeRole(tx: Transaction, userId: string, role: CompanyRole): Promise<Member> {
  await lockCompanyAs(tx, 'owner');
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
  const member = await findMember(tx, userId);
  if (member.role === role) return member;
  await assertOwnerMayGo(tx, member);
  await updateCompanyRole(tx, userId, role);
  const grantsEnd = !holdsCompanyGrants(role);
  if (grantsEnd) await deleteCompanyGrants(tx, { userId });
  const deniedRequests = grantsEnd ? await denyAccessRequestsOf(tx, userId) : [];
  const revokedInvites = await revokeOutgrownInvites(tx, userId);
  // An invitation from before must not bring the role back.
  if (!holdsRole(role, 'admin')) {
    revokedInvites.push(...(await revokeInvitesTo(tx, { email: member.email, teamId: null })));
  }
  insertAuditEvents(tx, [
    {
      kind: 'company.member_role',
      subjectType: 'account',
      subjectId: userId,
      detail: { from: member.role, to: role, revokedInvites, deniedRequests },
    },
  ]);
  return { ...member, role };
}

async function remove(tx: Transaction, userId: string): Promise<void> {
  await lockCompanyAs(tx, 'owner');
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
  const member = await findMember(tx, userId);
  const { email, role } = member;
  await assertOwnerMayGo(tx, member);
  await closeAccount(tx, userId);
  const deniedRequests = await denyAccessRequestsOf(tx, userId);
  const revokedInvites = await revokeOutgrownInvites(tx, userId);
  // Who was removed must not come back by an invite from before.
  revokedInvites.push(...(await revokeInvitesTo(tx, { email })));
  insertAuditEvents(tx, [
    {
      kind: 'company.member_remove',
      subjectType: 'account',
      subjectId: userId,
      detail: { email, role, revokedInvites, deniedRequests },
    },
  ]);
}

/** /v1/company/members: the accounts of the Company. */
export const companyMembersRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/company/members',
    {
      schema: {
        summary: 'Members of the Company, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Member) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) =>
        transaction(database, companyScope(identity), (tx) => listCompanyMembers(tx, part)),
      ),
  );

  app.patch(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Change a role in the Company',
        description:
          'For Company Owners. With the role of an Admin go the Company grants and open access requests, with ' +
          'the power to invite the open invites. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        body: RoleRequest,
        response: { 200: Member },
      },
    },
    async ({ identity, params, body }) => {
      const userId = knownId(params.userId);
      return transaction(database, companyScope(identity), (tx) => changeRole(tx, userId, body.role));
    },
  );

  app.delete(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Remove someone from the Company',
        description:
          'For Company Owners. Closes the account: its sessions, roles, grants and invites end, and its email is ' +
          'free. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        response: { 204: { type: 'null', description: 'Removed' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const userId = knownId(params.userId);
      await transaction(database, companyScope(identity), (tx) => remove(tx, userId));
      reply.code(204);
    },
  );
};
