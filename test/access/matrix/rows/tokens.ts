import type { Cell, Row } from '../row.ts';

const list = () => 'limit=200';
/** An agent token of the caller, in the Team where the caller belongs. */
const ownToken = async ({ caller, at, foreign, targets }: Cell) => ({
  id: foreign
    ? await targets.agentToken(at, at.ownerId)
    : await targets.agentToken(caller.home, caller.userId),
});
/** An agent token of the Team's Owner. */
const teamToken = async ({ at, targets }: Cell) => ({ id: await targets.agentToken(at, at.ownerId) });

/** Routes of agent tokens. */
export const TOKEN_ROWS: readonly Row[] = [
  { route: 'GET /v1/auth/tokens', kind: 'signed in', ok: 200, query: list },
  {
    route: 'POST /v1/auth/tokens',
    kind: 'Team, own work',
    ok: 201,
    refusalByBody: { refusal: '403 team_forbidden', after: 'checks' },
    // It would outlast a reset of the password, which ends the sessions.
    late: { 'the session was ended': '401 unauthenticated' },
    ids: ['teamId'],
    elsewhere: '403 team_forbidden',
    ofCompany: true,
    values: async ({ at }) => ({ teamId: at.teamId }),
    body: ({ teamId }, { at, canaries }) => ({
      name: canaries.word('token-name', at.key),
      teamId,
      permissions: ['memory:read'],
    }),
  },
  {
    route: 'POST /v1/auth/tokens',
    about: 'for client A',
    kind: 'client A, own work',
    ok: 201,
    refusalByBody: { refusal: '403 team_forbidden', after: 'checks' },
    ids: ['clientId'],
    ofCompany: true,
    values: async ({ at }) => ({ teamId: at.teamId, clientId: at.clientA }),
    body: ({ teamId, clientId }, { at, canaries }) => ({
      name: canaries.word('token-name', at.key),
      teamId,
      clientIds: [clientId],
      permissions: ['memory:read'],
    }),
  },
  {
    route: 'POST /v1/auth/tokens/:id/rotate',
    kind: 'signed in',
    ok: 201,
    values: ownToken,
    body: () => ({ overlapHours: 1 }),
    // The token is for the Team, and was revoked with the membership.
    late: { 'the member was removed from the Team': '409 conflict' },
  },
  {
    route: 'DELETE /v1/auth/tokens/:id',
    kind: 'signed in',
    ok: 204,
    values: ownToken,
    // The token was revoked with it.
    late: { 'the account was closed': null },
  },

  { route: 'GET /v1/team/tokens', kind: 'Team, Full access', ok: 200, query: list },
  { route: 'DELETE /v1/team/tokens/:id', kind: 'Team, Full access', ok: 204, values: teamToken },

  { route: 'GET /v1/company/tokens', kind: 'Company Owners', ok: 200, query: list },
  { route: 'DELETE /v1/company/tokens/:id', kind: 'Company Owners, by id', ok: 204, values: teamToken },
];
