import { parseId } from '../../../core/access/parse-id.ts';
import { changeCompanyTeam } from '../../../core/identity/teams/change-company-team.ts';
import { readTeam } from '../../../core/identity/teams/read-team.ts';
import { type Identity, ownsCompany } from '../../../shared/access.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { Team } from '../../../shared/schemas/identity.ts';
import { CompanyTeamChange } from '../../../shared/schemas/status.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** Refuses a quota of a caller who is not a Company Owner. The body can be anything. */
function assertQuotaAllowed(identity: Identity, body: unknown): void {
  const hasQuota = typeof body === 'object' && body !== null && Object.hasOwn(body, 'quota');
  if (hasQuota && !ownsCompany(identity)) throw new ServiceError('company_role_required');
}

/** /v1/company/teams/:id: one Team of the Company. */
export const companyTeamRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/teams/:id',
    {
      schema: {
        operationId: 'getTeam',
        summary: 'One Team',
        tags: ['company'],
        params: IdParams,
        response: { 200: Team },
      },
    },
    async ({ identity, params }) => readTeam(deps, companyScope(identity), parseId(params.id)),
  );

  app.patch(
    '/v1/company/teams/:id',
    {
      schema: {
        operationId: 'renameTeam',
        summary: 'Change the name or the quota of a Team',
        description:
          'A quota below what the Team stores deletes nothing: the Team cannot add until it stores less. Only a Company ' +
          'Owner can set it.',
        tags: ['company'],
        params: IdParams,
        body: CompanyTeamChange,
        response: { 200: Team },
        errors: errorCodes('team_archived', 'conflict'),
      },
      // Before the schema is checked, so that the role is refused before any fault of the fields.
      preValidation: async ({ identity, body }) => assertQuotaAllowed(identity, body),
    },
    async ({ identity, params, body }) => {
      if (Object.keys(body).length === 0) throw invalidField('/', 'must have name or quota');
      return changeCompanyTeam(deps, companyScope(identity), parseId(params.id), body);
    },
  );
};
