import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { inviteToTeam } from '../../../core/identity/team/invite-to-team.ts';
import { listTeamInvites } from '../../../core/identity/team/lists.ts';
import { invalidField } from '../../../shared/errors.ts';
import { parseEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Invite, InviteRequest, IssuedInvite } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withRight } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** Refuses a client that is listed twice: it would be unclear which access applies. */
function parseGrants(given: InviteRequest['grants'] = []): Invite['grants'] {
  const seen = new Set<string>();
  for (const [index, { clientId }] of given.entries()) {
    if (seen.has(clientId.toLowerCase())) {
      throw invalidField(`/grants/${index}/clientId`, 'is listed twice');
    }
    seen.add(clientId.toLowerCase());
  }
  return given.map(({ clientId, access }) => ({ clientId: parseId(clientId), access }));
}

/** /v1/team/invites: lists and creates the invites into the Team. */
export const invitesRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/invites',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'listInvites',
        summary: 'Invites into the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Invite) },
      },
    },
    async ({ teamScope, query }) => answerPage(query, (part) => listTeamInvites(deps, teamScope, part)),
  );

  app.post(
    '/v1/team/invites',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'createInvite',
        summary: 'Invite someone into the Team',
        description:
          'A new invite replaces the open one to that email. Token and link are shown only this once. 409 `conflict` ' +
          'if you invite yourself, or someone who has the role or a higher one.',
        tags: ['team'],
        body: InviteRequest,
        response: { 201: IssuedInvite },
        errors: errorCodes('forbidden', 'not_found', 'team_archived', 'conflict'),
      },
    },
    async ({ teamScope, body }, reply) => {
      const email = parseEmail(body.email);
      const grants = parseGrants(body.grants);
      const base = linkBase(deps.config, app.server);
      const issued = await inviteToTeam(deps, teamScope, { ...body, email, grants, base });
      reply.code(201);
      return issued;
    },
  );
};
