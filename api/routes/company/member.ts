import { parseId } from '../../../core/access/parse-id.ts';
import { changeCompanyRole } from '../../../core/identity/company/change-company-role.ts';
import { eraseCompanyMember } from '../../../core/identity/company/erase-company-member.ts';
import { removeCompanyMember } from '../../../core/identity/company/remove-company-member.ts';
import { ErasedMember, Member, RoleRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/members/:userId: Company Owners change roles, remove members and erase people. */
export const companyMemberRoutes: Routes = (app, deps) => {
  app.patch(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'changeCompanyRole',
        summary: 'Change a role in the Company',
        description:
          'For Company Owners. A person who is no longer a Company Admin loses their Company grants, and their open ' +
          'access requests are denied. Open invites that they can no longer make are revoked. 409 `last_owner` ' +
          'for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        body: RoleRequest,
        response: { 200: Member },
        errors: errorCodes('last_owner'),
      },
    },
    async ({ identity, params, body: { role } }) =>
      changeCompanyRole(deps, companyScope(identity), { userId: parseId(params.userId), role }),
  );

  app.delete(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'removeCompanyMember',
        summary: 'Remove a member from the Company',
        description:
          'For Company Owners. Closes the account: its sessions, roles, grants and invites end, and its email can ' +
          'be used for a new account. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        response: { 204: { type: 'null', description: 'Removed' } },
        errors: errorCodes('last_owner'),
      } as const,
    },
    async ({ identity, params }, reply) => {
      await removeCompanyMember(deps, companyScope(identity), parseId(params.userId));
      reply.code(204);
    },
  );

  app.post(
    '/v1/company/members/:userId/erase',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'eraseCompanyMember',
        summary: 'Erase a person',
        description:
          'For Company Owners, and final. Closes the account, also of someone who was removed before, and deletes its ' +
          'name, email, sessions, tokens and invites. What the person wrote stays, under a pseudonym. Erasing again ' +
          'changes nothing. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        response: { 200: ErasedMember },
        errors: errorCodes('last_owner'),
      },
    },
    async ({ identity, params }) => eraseCompanyMember(deps, companyScope(identity), parseId(params.userId)),
  );
};
