import { Type } from 'typebox';
import { transaction } from '../../../db/database.ts';
import { insertAuditEvents } from '../../../db/queries/audit.ts';
import { insertClient, listClients, updateClient } from '../../../db/queries/clients.ts';
import type { ActiveState } from '../../../shared/access.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Client, ClientChange, NameRequest } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { Routes } from '../../app.ts';
import { IdParams, knownId } from '../../known-id.ts';
import { answerPage } from '../../pagination.ts';
import { withFullAccess } from '../../plugins/guards.ts';
import { assertActive, takeTeam } from '../../team-state.ts';

/** Which clients are asked for. Archived ones are as if they did not exist, but for those with Full access. */
function readState(state: string | undefined, { access }: TeamScope): ActiveState {
  if (state === undefined || state === 'active') return 'active';
  if (state !== 'archived') throw invalidField('/state', 'must be active or archived');
  if (access !== 'full') throw new ServiceError('full_access_required');
  return state;
}

/** /v1/team/clients: the clients of the Team. */
export const clientsRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/team/clients',
    {
      schema: {
        summary: 'Clients that you can reach, newest first',
        tags: ['team'],
        querystring: Type.Object({
          ...PageQuery,
          state: Type.Optional(Type.String({ description: 'active, or with Full access archived' })),
        }),
        response: { 200: Page(Client) },
      },
    },
    async ({ teamScope, query }) => {
      const state = readState(query.state, teamScope);
      return answerPage(query, (part) =>
        transaction(database, teamScope, (tx) => listClients(tx, state, part)),
      );
    },
  );

  app.post(
    '/v1/team/clients',
    {
      onRequest: withFullAccess,
      schema: { summary: 'Make a client', tags: ['team'], body: NameRequest, response: { 201: Client } },
    },
    async ({ teamScope, body: { name } }, reply) => {
      const made = await transaction(database, teamScope, async (tx) => {
        assertActive(await takeTeam(tx, teamScope.teamId));
        const client = await insertClient(tx, { id: newId(), name });
        await insertAuditEvents(tx, [
          { kind: 'team.client_create', subjectType: 'client', subjectId: client.id, detail: { name } },
        ]);
        return client;
      });
      reply.code(201);
      return made;
    },
  );

  app.patch(
    '/v1/team/clients/:id',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Rename a client, or bring an archived one back',
        tags: ['team'],
        params: IdParams,
        body: ClientChange,
        response: { 200: Client },
      },
    },
    async ({ teamScope, params, body }) => {
      if (body.name === undefined && body.state === undefined) throw invalidField('/', 'needs name or state');
      const id = knownId(params.id);
      const from: ActiveState[] = body.state === undefined ? ['active'] : ['active', 'archived'];
      return transaction(database, teamScope, async (tx) => {
        const team = await takeTeam(tx, teamScope.teamId);
        const client = await updateClient(tx, id, from, body);
        if (client === null) throw new ServiceError('not_found');
        assertActive(team);
        await insertAuditEvents(tx, [
          { kind: 'team.client_change', subjectType: 'client', subjectId: id, detail: { ...body } },
        ]);
        return client;
      });
    },
  );

  app.delete(
    '/v1/team/clients/:id',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Archive a client: with all it holds it is as if it did not exist',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Archived' } },
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      const id = knownId(params.id);
      await transaction(database, teamScope, async (tx) => {
        const team = await takeTeam(tx, teamScope.teamId);
        const client = await updateClient(tx, id, ['active'], { state: 'archived' });
        if (client === null) throw new ServiceError('not_found');
        assertActive(team);
        await insertAuditEvents(tx, [
          {
            kind: 'team.client_archive',
            subjectType: 'client',
            subjectId: id,
            detail: { name: client.name },
          },
        ]);
      });
      reply.code(204);
    },
  );
};
