import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { listTeams } from '../../../core/identity/company/lists.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { createTeam, type NamedOwner } from '../../../core/identity/teams/create-team.ts';
import { invalidField } from '../../../shared/errors.ts';
import { parseEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { NewTeam, Team } from '../../../shared/schemas/identity.ts';
import { NewTeamRequest } from '../../../shared/schemas/status.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** The Owner that a request names, by id or by email. Null for the caller. */
function parseOwner({ ownerUserId, ownerEmail }: NewTeamRequest): NamedOwner | null {
  if (ownerUserId !== undefined && ownerEmail !== undefined) {
    throw invalidField('/ownerEmail', 'cannot be combined with ownerUserId');
  }
  if (ownerUserId !== undefined) return { userId: parseId(ownerUserId) };
  return ownerEmail === undefined ? null : { email: parseEmail(ownerEmail, '/ownerEmail') };
}

/** /v1/company/teams: every Team of the Company, whatever access the caller has to it. */
export const companyTeamsRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/teams',
    {
      schema: {
        operationId: 'listTeams',
        summary: 'Teams of the Company, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Team) },
      },
    },
    async ({ identity, query }) => answerPage(query, (part) => listTeams(deps, companyScope(identity), part)),
  );

  app.post(
    '/v1/company/teams',
    {
      schema: {
        operationId: 'createTeam',
        summary: 'Create a Team',
        description:
          'You become its Owner, unless `ownerUserId` names a member of the Company, who becomes it at once, or ' +
          '`ownerEmail` someone else. An email is always invited, also if an account has it, and the Team has no Owner ' +
          'until the invite is accepted. Token and link are shown only once.',
        tags: ['company'],
        body: NewTeamRequest,
        response: { 201: NewTeam },
        errors: errorCodes('not_found', 'conflict'),
      },
    },
    async ({ identity, body }, reply) => {
      const made = await createTeam(deps, companyScope(identity), {
        name: body.name,
        owner: parseOwner(body),
        base: linkBase(deps.config, app.server),
      });
      reply.code(201);
      return made;
    },
  );
};
