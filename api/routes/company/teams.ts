import { Type } from 'typebox';
import { listTeams } from '../../../core/identity/company/lists.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { createTeam } from '../../../core/identity/teams/create-team.ts';
import { parseEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { NewTeam, NewTeamRequest, Team } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

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
          'You become its Owner, unless `ownerEmail` names another person. That person becomes its Owner at once ' +
          'if they have an account of the Company. Otherwise they are invited: token and link are shown only once.',
        tags: ['company'],
        body: NewTeamRequest,
        response: { 201: NewTeam },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, body: { name, ownerEmail } }, reply) => {
      const made = await createTeam(deps, companyScope(identity), {
        name,
        ownerEmail: ownerEmail === undefined ? null : parseEmail(ownerEmail, '/ownerEmail'),
        base: linkBase(deps.config, app.server),
      });
      reply.code(201);
      return made;
    },
  );
};
