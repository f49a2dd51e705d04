import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForAdmin } from '../../../core/access/lock-and-recheck.ts';
import { createInvite, type InviteDraft, withdrawInvite } from '../../../core/identity/invites.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { findActiveClients } from '../../../db/queries/identity/clients.ts';
import { findOpenInviteTo, listInvites } from '../../../db/queries/identity/invites.ts';
import { appointsTeamOwners, type Standing, type TeamRole } from '../../../shared/access.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { readEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Invite, InviteRequest, IssuedInvite } from '../../../shared/schemas/identity.ts';
import { withFullAccess } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

type Grants = Invite['grants'];

/** A client named twice would leave open which access is meant. */
function readGrants(given: InviteRequest['grants'] = []): Grants {
  const seen = new Set<string>();
  for (const [index, { clientId }] of given.entries()) {
    if (seen.has(clientId.toLowerCase())) {
      throw invalidField(`/grants/${index}/clientId`, 'stands there twice');
    }
    seen.add(clientId.toLowerCase());
  }
  return given.map(({ clientId, access }) => ({ clientId: knownId(clientId), access }));
}

async function assertClients(tx: TeamTransaction, grants: Grants): Promise<void> {
  const ids = grants.map(({ clientId }) => clientId);
  if ((await findActiveClients(tx, ids)).length < ids.length) throw new ServiceError('not_found');
}

async function invite(tx: TeamTransaction, draft: InviteDraft & { grants: Grants }) {
  const { team, caller } = await lockTeamForAdmin(tx);
  assertMayEnd(caller, await findOpenInviteTo(tx, draft));
  await assertClients(tx, draft.grants);
  assertActive(team);
  const { result, audit } = await createInvite(tx, draft);
  insertAuditEvents(tx, audit);
  return result;
}

async function withdraw(tx: TeamTransaction, id: string): Promise<void> {
  const { teamId } = tx.scope;
  const { caller } = await lockTeamForAdmin(tx);
  const [found] = await listInvites(tx, teamId, ONE, id);
  assertMayEnd(caller, found ?? null);
  const { audit } = await withdrawInvite(tx, teamId, id);
  insertAuditEvents(tx, audit);
}

/** The invite of a Team Owner is, as the role, given and taken by Owners alone. */
function assertMayEnd(caller: Standing, found: { role: TeamRole } | null): void {
  if (found?.role === 'owner' && !appointsTeamOwners(caller)) {
    throw new ServiceError('forbidden', 'A Team Owner is invited by Owners alone');
  }
}

/** /v1/team/invites: who may join the Team. */
export const invitesRoutes: Routes = (app, { database, config }) => {
  app.get(
    '/v1/team/invites',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Invites into the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Invite) },
      },
    },
    async ({ teamScope, query }) =>
      answerPage(query, (part) =>
        transaction(database, teamScope, (tx) => listInvites(tx, teamScope.teamId, part)),
      ),
  );

  app.post(
    '/v1/team/invites',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Invite someone into the Team',
        description:
          'A new invite replaces the open one to that email. Token and link are shown this once. 409 `conflict` ' +
          'for oneself, and for who has the role or more already.',
        tags: ['team'],
        body: InviteRequest,
        response: { 201: IssuedInvite },
      },
    },
    async ({ teamScope, body }, reply) => {
      const email = readEmail(body.email);
      const { role, expiresInHours } = body;
      const grants = readGrants(body.grants);
      const base = linkBase(config, app.server);
      const { teamId } = teamScope;
      const issued = await transaction(database, teamScope, (tx) =>
        invite(tx, { teamId, email, role, grants, expiresInHours, base }),
      );
      reply.code(201);
      return issued;
    },
  );

  app.delete(
    '/v1/team/invites/:id',
    {
      onRequest: withFullAccess,
      schema: {
        summary: 'Withdraw an invite',
        description: '409 `conflict` where it is not open.',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Withdrawn' } },
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      const id = knownId(params.id);
      await transaction(database, teamScope, (tx) => withdraw(tx, id));
      reply.code(204);
    },
  );
};
