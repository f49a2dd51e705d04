import type { onRequestAsyncHookHandler } from 'fastify';
import { type Static, Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForAdmin } from '../../../core/access/lock-and-recheck.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { findClient, insertClient, listClients, updateClient } from '../../../db/queries/identity/clients.ts';
import type { ActiveState } from '../../../shared/access.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Client, ClientChange, NameRequest } from '../../../shared/schemas/identity.ts';
import { withFullAccess } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** Which clients are asked for. */
function readState(state: string | undefined): ActiveState {
  if (state === undefined || state === 'active') return 'active';
  if (state === 'archived') return state;
  throw invalidField('/state', 'must be active or archived');
}

/** Archived clients do not exist for callers without Full access. Runs before the query is validated. */
const fullAccessToArchived: onRequestAsyncHookHandler = async ({ query, teamScope }) => {
  const { state } = query as { state?: unknown };
  if (state === 'archived' && teamScope.access !== 'full') throw new ServiceError('full_access_required');
};

type Change = Static<typeof ClientChange>;

/** What is asked for and not so yet. */
function changesOf({ name, state }: Client, asked: Change): Change {
  return {
    ...(asked.name === undefined || asked.name === name ? {} : { name: asked.name }),
    ...(asked.state === undefined || asked.state === state ? {} : { state: asked.state }),
  };
}

/** /v1/team/clients: the clients of the Team. */
export const clientsRoutes: Routes = (app, { database }) => {
  app.get(
    '/v1/team/clients',
    {
      onRequest: fullAccessToArchived,
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
      const state = readState(query.state);
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
        assertActive((await lockTeamForAdmin(tx)).team);
        const client = await insertClient(tx, { id: newId(), name });
        insertAuditEvents(tx, [
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
        const { team } = await lockTeamForAdmin(tx);
        const client = await findClient(tx, id, from);
        if (client === null) throw new ServiceError('not_found');
        assertActive(team);
        const change = changesOf(client, body);
        if (Object.keys(change).length === 0) return client;
        await updateClient(tx, id, change);
        insertAuditEvents(tx, [
          { kind: 'team.client_change', subjectType: 'client', subjectId: id, detail: change },
        ]);
        return { ...client, ...change };
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
        const { team } = await lockTeamForAdmin(tx);
        const client = await findClient(tx, id, ['active']);
        if (client === null) throw new ServiceError('not_found');
        assertActive(team);
        await updateClient(tx, id, { state: 'archived' });
        insertAuditEvents(tx, [
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
