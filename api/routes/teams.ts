import { Type } from 'typebox';
import { linkBase } from '../../core/accounts/links.ts';
import {
  changeSelectedTeam,
  changeTeamState,
  createTeam,
  deleteTeam,
  type NamedOwner,
  renameTeam,
} from '../../core/teams/commands.ts';
import { getSelectedTeam, getTeam, getTeamActivity, listTeams } from '../../core/teams/queries.ts';
import { type Identity, ownsCompany } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseEmail } from '../../shared/formats/names.ts';
import { parseId } from '../../shared/ids.ts';
import {
  ActivityQuery,
  DEFAULT_ACTIVITY_DAYS,
  MAX_ACTIVITY_DAYS,
  TeamActivity,
} from '../../shared/schemas/activity.ts';
import { Page, PageQuery } from '../../shared/schemas/common.ts';
import {
  CompanyTeamChange,
  NewTeam,
  NewTeamRequest,
  SelectedTeam,
  Team,
  TeamChange,
} from '../../shared/schemas/teams.ts';
import { companyScope } from '../../shared/scope.ts';
import { owningCompany, selectedTeam, withRight } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams, parseLimit } from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** The Owner that a request names, by id or by email. Null for the caller. */
function parseOwner({ ownerUserId, ownerEmail }: NewTeamRequest): NamedOwner | null {
  if (ownerUserId !== undefined && ownerEmail !== undefined) {
    throw invalidField('/ownerEmail', 'cannot be combined with ownerUserId');
  }
  if (ownerUserId !== undefined) return { userId: parseId(ownerUserId) };
  return ownerEmail === undefined ? null : { email: parseEmail(ownerEmail, '/ownerEmail') };
}

/** Refuses a quota of a caller who is not a Company Owner. The body can be anything. */
function assertQuotaAllowed(identity: Identity, body: unknown): void {
  const hasQuota = typeof body === 'object' && body !== null && Object.hasOwn(body, 'quota');
  if (hasQuota && !ownsCompany(identity)) throw new ServiceError('company_role_required');
}

const TRANSITIONS = [
  {
    verb: 'archive',
    operationId: 'archiveTeam',
    state: 'archived',
    summary: 'Archive a Team, which can then be read but not changed',
  },
  { verb: 'restore', operationId: 'restoreTeam', state: 'active', summary: 'Restore an archived Team' },
] as const;

/** /v1/company/teams */
export const companyTeamRoutes: Routes = (app, deps) => {
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
    async ({ identity, params }) => getTeam(deps, companyScope(identity), parseId(params.id)),
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
      return renameTeam(deps, companyScope(identity), parseId(params.id), body);
    },
  );

  for (const { verb, operationId, state, summary } of TRANSITIONS) {
    app.post(
      `/v1/company/teams/:id/${verb}`,
      {
        schema: {
          operationId,
          summary,
          description: `409 \`conflict\` if it is already ${state}.`,
          tags: ['company'],
          params: IdParams,
          response: { 200: Team },
          errors: errorCodes('conflict'),
        },
      },
      async ({ identity, params }) =>
        changeTeamState(deps, companyScope(identity), { teamId: parseId(params.id), state }),
    );
  }

  app.delete(
    '/v1/company/teams/:id',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'deleteTeam',
        summary: 'Delete an archived Team and everything in it except its audit events',
        description: 'For Company Owners. 409 `conflict` if it is not archived.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('conflict'),
      } as const,
    },
    async ({ identity, params }, reply) => {
      await deleteTeam(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};

/** /v1/team: the selected Team. */
export const teamTeamRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team',
    {
      config: { permission: 'any' },
      schema: {
        operationId: 'getSelectedTeam',
        summary: 'The selected Team, its settings, and your access to it',
        tags: ['team'],
        response: { 200: SelectedTeam },
      },
    },
    async (request) => getSelectedTeam(deps, request.teamScope, selectedTeam(request)),
  );

  app.get(
    '/v1/team/activity',
    {
      onRequest: withRight('readAudit'),
      config: { permission: 'audit:read' },
      schema: {
        operationId: 'getTeamActivity',
        summary: 'How the selected Team was used, by day and by agent token',
        description:
          'Numbers only, without any text. Days of before this was counted have what the audit tells. What is opened and ' +
          'returned is counted every few seconds: a process that is killed loses the last ones. An agent token that is limited ' +
          'to clients is refused.',
        tags: ['team'],
        querystring: ActivityQuery,
        response: { 200: TeamActivity },
        errors: errorCodes('forbidden'),
      },
    },
    async ({ teamScope, query }) => {
      const limits = { default: DEFAULT_ACTIVITY_DAYS, max: MAX_ACTIVITY_DAYS };
      return getTeamActivity(deps, teamScope, parseLimit(query.days, limits, '/days'));
    },
  );

  app.patch(
    '/v1/team',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'changeSelectedTeam',
        summary: 'Change the name or the settings of the selected Team',
        tags: ['team'],
        body: TeamChange,
        response: { 200: SelectedTeam },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ teamScope, body }) => {
      if (Object.keys(body).length === 0) throw invalidField('/', 'must have name, publish or redaction');
      return changeSelectedTeam(deps, teamScope, body);
    },
  );
};
