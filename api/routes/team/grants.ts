import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForAdmin } from '../../../core/access/lock-and-recheck.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  deleteClientGrant,
  findClientGrant,
  listClientGrants,
  upsertClientGrant,
} from '../../../db/queries/identity/grants.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { ClientGrant, ClientGrantRequest } from '../../../shared/schemas/identity.ts';
import { withFullAccess } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const GrantParams = Type.Object({ userId: Type.String(), clientId: Type.String() });

/** /v1/team/grants: which members reach which clients. */
export const grantsRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/team/grants',
    {
      schema: {
        summary: 'Grants for clients, newest first; without Full access your own',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(ClientGrant) },
      },
    },
    async ({ teamScope, query }) => {
      const userId = teamScope.access === 'full' ? null : teamScope.userId;
      return answerPage(query, (part) =>
        transaction(database, teamScope, (tx) => listClientGrants(tx, part, userId)),
      );
    },
  );

  app.put(
    '/v1/team/grants/:userId/:clientId',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Give a member access to a client',
        tags: ['team'],
        params: GrantParams,
        body: ClientGrantRequest,
        response: { 200: ClientGrant },
      },
    },
    async ({ teamScope, params, body: { access } }) => {
      const userId = knownId(params.userId);
      const clientId = knownId(params.clientId);
      const { teamId } = teamScope;
      return transaction(database, teamScope, async (tx) => {
        const { team } = await lockTeamForAdmin(tx, [userId]);
        const held = await findClientGrant(tx, { teamId, userId, clientId });
        const grant = await upsertClientGrant(tx, { teamId, userId, clientId, access });
        if (grant === null) throw new ServiceError('not_found');
        assertActive(team);
        if (held === access) return grant;
        insertAuditEvents(tx, [
          { kind: 'team.grant', subjectType: 'account', subjectId: userId, detail: { clientId, access } },
        ]);
        return grant;
      });
    },
  );

  app.delete(
    '/v1/team/grants/:userId/:clientId',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Take a grant for a client back',
        tags: ['team'],
        params: GrantParams,
        response: { 204: { type: 'null', description: 'Taken back' } },
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      const grant = { userId: knownId(params.userId), clientId: knownId(params.clientId) };
      await transaction(database, teamScope, async (tx) => {
        await lockTeamForAdmin(tx, [grant.userId]);
        if (!(await deleteClientGrant(tx, grant))) throw new ServiceError('not_found');
        insertAuditEvents(tx, [
          {
            kind: 'team.grant_revoke',
            subjectType: 'account',
            subjectId: grant.userId,
            detail: { clientId: grant.clientId },
          },
        ]);
      });
      reply.code(204);
    },
  );
};
