import { parseId } from '../../../core/access/parse-id.ts';
import { archiveClient } from '../../../core/identity/clients/archive-client.ts';
import { changeClient } from '../../../core/identity/clients/change-client.ts';
import { invalidField } from '../../../shared/errors.ts';
import { Client, ClientChange } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withRight } from '../../plugins/guards.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/team/clients/:id: changes and archives a client of the Team. */
export const clientRoutes: Routes = (app, deps) => {
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
