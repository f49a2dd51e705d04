import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockCompanyAs, lockTeam } from '../../../core/access/lock-and-recheck.ts';
import { type ScopedTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import {
  decideAccessRequest,
  findAccessRequest,
  insertAccessRequest,
  listAccessRequests,
} from '../../../db/queries/identity/access-requests.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { listCompanyGrants, upsertCompanyGrant } from '../../../db/queries/identity/grants.ts';
import { findStanding } from '../../../db/queries/identity/members.ts';
import { ownsCompany, teamAccess } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { AccessRequest, NewAccessRequest } from '../../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

type Transaction = ScopedTransaction<CompanyScope>;

/** Asks, as an Admin of the Company, who must lack what is asked for: an Owner has it everywhere. */
async function ask(
  tx: Transaction,
  request: Pick<AccessRequest, 'teamId' | 'access' | 'reason'>,
): Promise<AccessRequest> {
  const { teamId, access } = request;
  const { userId } = tx.scope;
  await lockCompanyAs(tx, 'admin');
  const team = await lockTeam(tx, teamId);
  const standing = await findStanding(tx, teamId, userId);
  const held = standing === null ? null : teamAccess(standing.companyRole, standing);
  if (held === 'full' || standing?.grant === access) {
    throw new ServiceError('conflict', 'You have this access already');
  }
  assertActive(team);
  const made = await insertAccessRequest(tx, { id: newId(), ...request });
  if (made === null) throw new ServiceError('conflict', 'A request of yours for this Team is open already');
  insertAuditEvents(tx, [
    {
      kind: 'company.access_request',
      subjectType: 'access_request',
      subjectId: made.id,
      teamId,
      detail: { access },
    },
  ]);
  return made;
}

/** Decides an open request; approving it writes the grant, and never lowers one. */
async function decide(tx: Transaction, id: string, state: 'approved' | 'denied'): Promise<AccessRequest> {
  await lockCompanyAs(tx, 'owner');
  const request = await findAccessRequest(tx, id);
  if (request === null) throw new ServiceError('not_found');
  const { userId, teamId, access } = request;
  const team = await lockTeam(tx, teamId);
  const decided = await decideAccessRequest(tx, id, state);
  if (decided === null) throw new ServiceError('conflict', `The request is ${request.state} already`);
  if (state === 'approved') {
    assertActive(team);
    const [grant] = await listCompanyGrants(tx, ONE, { userId, teamId });
    if (grant?.access !== 'full') await upsertCompanyGrant(tx, { userId, teamId, access });
  }
  insertAuditEvents(tx, [
    {
      kind: state === 'approved' ? 'company.access_approve' : 'company.access_deny',
      subjectType: 'access_request',
      subjectId: id,
      teamId,
      detail: { userId, access },
    },
  ]);
  return decided;
}

/** /v1/company/access-requests: an Admin asks for a Team, an Owner decides. */
export const accessRequestsRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/company/access-requests',
    {
      schema: {
        summary: 'Access requests, newest first; an Admin sees their own',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(AccessRequest) },
      },
    },
    async ({ identity, query }) => {
      const userId = ownsCompany(identity) ? null : identity.userId;
      return answerPage(query, (part) =>
        transaction(database, companyScope(identity), (tx) => listAccessRequests(tx, part, userId)),
      );
    },
  );

  app.post(
    '/v1/company/access-requests',
    {
      schema: {
        summary: 'Ask for access to a Team',
        description:
          '409 `conflict` where you have the access already, as Owners of the Company have everywhere, or have ' +
          'asked already.',
        tags: ['company'],
        body: NewAccessRequest,
        response: { 201: AccessRequest },
      },
    },
    async ({ identity, body }, reply) => {
      const teamId = knownId(body.teamId);
      const { access, reason = null } = body;
      const made = await transaction(database, companyScope(identity), (tx) =>
        ask(tx, { teamId, access, reason }),
      );
      reply.code(201);
      return made;
    },
  );

  for (const [verb, state] of [
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const) {
    app.post(
      `/v1/company/access-requests/:id/${verb}`,
      {
        onRequest: owningCompany,
        schema: {
          summary:
            verb === 'approve' ? 'Approve an access request: writes the grant' : 'Deny an access request',
          description: 'For Company Owners. 409 `conflict` where it was decided already.',
          tags: ['company'],
          params: IdParams,
          response: { 200: AccessRequest },
        },
      },
      async ({ identity, params }) => {
        const id = knownId(params.id);
        return transaction(database, companyScope(identity), (tx) => decide(tx, id, state));
      },
    );
  }
};
