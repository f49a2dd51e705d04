import { Type } from 'typebox';
import { createClient } from '../../../core/identity/clients/create-client.ts';
import { listClients } from '../../../core/identity/team/lists.ts';
import type { ActiveState } from '../../../shared/access.ts';
import { invalidField } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Client, NameRequest } from '../../../shared/schemas/identity.ts';
import { requireRight } from '../../../shared/scope.ts';
import { errorCodes, refusing } from '../../openapi/declared-errors.ts';
import { type Guard, withRight } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

function parseState(state: string | undefined): ActiveState {
  if (state === undefined || state === 'active') return 'active';
  if (state === 'archived') return state;
  throw invalidField('/state', 'must be active or archived');
}

/** Archived clients do not exist for callers without Full access. Runs before the query is validated. */
const requireFullAccessForArchived: Guard = refusing(
  ['full_access_required'],
  async ({ query, teamScope }) => {
    const { state } = query as { state?: unknown };
    if (state === 'archived') requireRight(teamScope, 'manageTeam');
  },
);

/** /v1/team/clients: lists and creates the clients of the Team. */
export const clientsRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/clients',
    {
      onRequest: requireFullAccessForArchived,
      config: { permission: 'any' },
      schema: {
        operationId: 'listClients',
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
      const state = parseState(query.state);
      return answerPage(query, (part) => listClients(deps, teamScope, part, state));
    },
  );

  app.post(
    '/v1/team/clients',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'createClient',
        summary: 'Create a client',
        tags: ['team'],
        body: NameRequest,
        response: { 201: Client },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ teamScope, body }, reply) => {
      const client = await createClient(deps, teamScope, body.name);
      reply.code(201);
      return client;
    },
  );
};
