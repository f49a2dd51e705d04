import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockCompanyAs, lockTeam } from '../../../core/access/lock-and-recheck.ts';
import { revokeOutgrownInvites } from '../../../core/identity/invites.ts';
import { type ScopedTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import { lockAccount } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  deleteCompanyGrants,
  listCompanyGrants,
  upsertCompanyGrant,
} from '../../../db/queries/identity/grants.ts';
import { listCompanyMembers } from '../../../db/queries/identity/members.ts';
import { holdsCompanyGrants } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { CompanyGrant, CompanyGrantRequest } from '../../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

type Transaction = ScopedTransaction<CompanyScope>;
const GrantParams = Type.Object({ userId: Type.String(), teamId: Type.String() });

async function give(
  tx: Transaction,
  grant: Pick<CompanyGrant, 'userId' | 'teamId' | 'access'>,
): Promise<CompanyGrant> {
  const { userId, teamId, access } = grant;
  await lockCompanyAs(tx, 'owner');
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
  const [member] = await listCompanyMembers(tx, ONE, userId);
  if (member === undefined) throw new ServiceError('not_found');
  assertActive(await lockTeam(tx, teamId));
  if (!holdsCompanyGrants(member.role)) {
    throw new ServiceError('conflict', 'Company Admins alone hold Company grants');
  }
  const [held] = await listCompanyGrants(tx, ONE, { userId, teamId });
  if (held?.access === access) return held;
  await upsertCompanyGrant(tx, grant);
  // A grant may have been lowered.
  const revokedInvites = await revokeOutgrownInvites(tx, userId);
  insertAuditEvents(tx, [
    {
      kind: 'company.grant',
      subjectType: 'account',
      subjectId: userId,
      teamId,
      detail: { access, revokedInvites },
    },
  ]);
  const [given] = await listCompanyGrants(tx, ONE, { userId, teamId });
  if (given === undefined) throw new Error('the grant was not written');
  return given;
}

async function take(tx: Transaction, { userId, teamId }: { userId: string; teamId: string }): Promise<void> {
  await lockCompanyAs(tx, 'owner');
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
  // Also of an archived Team, which gives up whom it let in.
  await lockTeam(tx, teamId);
  if ((await deleteCompanyGrants(tx, { userId, teamId })) === 0) throw new ServiceError('not_found');
  const revokedInvites = await revokeOutgrownInvites(tx, userId);
  insertAuditEvents(tx, [
    {
      kind: 'company.grant_revoke',
      subjectType: 'account',
      subjectId: userId,
      teamId,
      detail: { revokedInvites },
    },
  ]);
}

/** /v1/company/grants: what Company Admins hold in Teams. */
export const companyGrantsRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/company/grants',
    {
      schema: {
        summary: 'Company grants, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(CompanyGrant) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) =>
        transaction(database, companyScope(identity), (tx) => listCompanyGrants(tx, part)),
      ),
  );

  app.put(
    '/v1/company/grants/:userId/:teamId',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Give a Company Admin access to a Team',
        description: 'For Company Owners. 409 `conflict` for who is no Company Admin.',
        tags: ['company'],
        params: GrantParams,
        body: CompanyGrantRequest,
        response: { 200: CompanyGrant },
      },
    },
    async ({ identity, params, body: { access } }) => {
      const grant = { userId: knownId(params.userId), teamId: knownId(params.teamId), access };
      return transaction(database, companyScope(identity), (tx) => give(tx, grant));
    },
  );

  app.delete(
    '/v1/company/grants/:userId/:teamId',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Take a Company grant back',
        description: 'For Company Owners.',
        tags: ['company'],
        params: GrantParams,
        response: { 204: { type: 'null', description: 'Taken back' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const of = { userId: knownId(params.userId), teamId: knownId(params.teamId) };
      await transaction(database, companyScope(identity), (tx) => take(tx, of));
      reply.code(204);
    },
  );
};
