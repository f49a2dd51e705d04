import { Type } from 'typebox';
import { archiveClient, changeClient, createClient } from '../../core/clients/commands.ts';
import { listClients } from '../../core/clients/queries.ts';
import type { ActiveState } from '../../shared/access.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseId } from '../../shared/ids.ts';
import { Client, ClientChange } from '../../shared/schemas/clients.ts';
import { NameRequest, Page, PageQuery } from '../../shared/schemas/common.ts';
import { requireRight } from '../../shared/scope.ts';
import { type Guard, withRight } from '../http/guards.ts';
import { errorCodes, refusing } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

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

/** /v1/team/clients */
export const clientRoutes: Routes = (app, deps) => {
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

  app.patch(
    '/v1/team/clients/:id',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'changeClient',
        summary: 'Rename a client, or restore an archived one',
        tags: ['team'],
        params: IdParams,
        body: ClientChange,
        response: { 200: Client },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ teamScope, params, body }) => {
      if (body.name === undefined && body.state === undefined) {
        throw invalidField('/', 'must have name or state');
      }
      return changeClient(deps, teamScope, parseId(params.id), body);
    },
  );

  app.delete(
    '/v1/team/clients/:id',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'archiveClient',
        summary: 'Archive a client: it and everything in it can no longer be found',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Archived' } },
        errors: errorCodes('team_archived'),
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      await archiveClient(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};
