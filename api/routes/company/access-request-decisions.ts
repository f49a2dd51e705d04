import { parseId } from '../../../core/access/parse-id.ts';
import { decideAccessRequest } from '../../../core/identity/company/decide-access-request.ts';
import { AccessRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const DECISIONS = [
  {
    verb: 'approve',
    operationId: 'approveAccessRequest',
    state: 'approved',
    summary: 'Approve an access request, which makes the grant',
    errors: errorCodes('conflict', 'team_archived'),
  },
  {
    verb: 'deny',
    operationId: 'denyAccessRequest',
    state: 'denied',
    summary: 'Deny an access request',
    errors: errorCodes('conflict'),
  },
] as const;

/** Company Owners decide access requests. */
export const accessRequestDecisionRoutes: Routes = (app, deps) => {
  for (const { verb, operationId, state, summary, errors } of DECISIONS) {
    app.post(
      `/v1/company/access-requests/:id/${verb}`,
      {
        onRequest: owningCompany,
        schema: {
          operationId,
          summary,
          description: 'For Company Owners. 409 `conflict` if the request was decided already.',
          tags: ['company'],
          params: IdParams,
          response: { 200: AccessRequest },
          errors,
        },
      },
      async ({ identity, params }) =>
        decideAccessRequest(deps, companyScope(identity), { id: parseId(params.id), state }),
    );
  }
};
