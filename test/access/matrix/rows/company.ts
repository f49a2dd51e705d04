import { companyKey } from '../place.ts';
import type { Cell, Row } from '../row.ts';
import { REASONS } from '../world.ts';

const list = () => 'limit=200';
/** A word of the Company that the caller belongs to. */
const word = ({ canaries, caller }: Cell, thing: 'company-name' | 'invitation' | 'staff') =>
  canaries.word(thing, companyKey(caller.home));
/** The name of a Team that is not the caller's. */
const teamName = ({ canaries, caller }: Cell) =>
  canaries.word('team-name', caller.home.key === 'v' ? 'v' : 'u');

const member = async ({ targets, at }: Cell) => ({ userId: (await targets.account(at)).userId });
const accessRequest = async ({ targets, at }: Cell) => ({ id: await targets.accessRequest(at) });
const team = async ({ at }: Cell) => ({ id: at.teamId });
const activeTeam = async ({ targets, at }: Cell) => ({ id: await targets.team(at) });
const changedTeam = async ({ targets, at }: Cell) => ({
  id: await targets.team(at, at.key === 'z' ? 'archived' : 'active'),
});
const archivedTeam = async ({ targets, at }: Cell) => ({ id: await targets.team(at, 'archived') });
const ofTeam = { ids: ['teamId'], values: async ({ at }: Cell) => ({ teamId: at.teamId }) };
const grantee = async ({ targets, at }: Cell, grant?: 'read') => {
  const { userId } = await targets.account(at, { companyRole: 'admin', ...(grant ? { grant } : {}) });
  return { userId, teamId: at.teamId };
};
const asked = (access: 'read' | 'full') => (values: { teamId?: string }, cell: Cell) => ({
  teamId: values.teamId,
  access,
  reason: cell.canaries.word(REASONS[cell.caller.name] ?? 'reason', companyKey(cell.caller.home)),
});

/** The column `archived` is an Owner, who has the access already. */
const late = { 'the Team was archived': '409 team_archived' } as const;

/** Routes of the Company. */
export const COMPANY_ROWS: readonly Row[] = [
  { route: 'GET /v1/company', kind: 'Company Admins', ok: 200 },
  {
    route: 'PATCH /v1/company',
    kind: 'Company Owners',
    ok: 200,
    body: (_values, cell) => ({ name: word(cell, 'company-name') }),
  },

  { route: 'GET /v1/company/members', kind: 'Company Admins', ok: 200, query: list },
  {
    route: 'PATCH /v1/company/members/:userId',
    kind: 'Company Owners, by id',
    ok: 200,
    values: member,
    body: () => ({ role: 'admin' }),
  },
  { route: 'DELETE /v1/company/members/:userId', kind: 'Company Owners, by id', ok: 204, values: member },
  { route: 'POST /v1/company/members/:userId/erase', kind: 'Company Owners, by id', ok: 200, values: member },
  {
    route: 'POST /v1/company/members/:userId/reset-link',
    kind: 'Company Owners, by id',
    ok: 201,
    values: member,
  },
  {
    route: 'POST /v1/company/reset-links',
    kind: 'Company Owners, by id',
    ok: 201,
    ids: ['teamId', 'email'],
    values: async ({ targets, at }) => ({
      teamId: at.teamId,
      email: (await targets.account(at, { teamRole: 'owner' })).email,
    }),
    body: ({ teamId, email }) => ({ teamId, email }),
  },

  { route: 'POST /v1/company/mail/test', kind: 'Company Owners', ok: 202 },
  { route: 'GET /v1/company/invitations', kind: 'Company Admins', ok: 200, query: list },
  {
    route: 'POST /v1/company/invitations',
    kind: 'Company Owners',
    ok: 201,
    body: (_values, cell) => ({ email: `${word(cell, 'invitation')}@example.com` }),
  },
  {
    route: 'POST /v1/company/invitations/:id/resend',
    kind: 'Company Owners, by id',
    ok: 200,
    values: async ({ targets, at }) => ({ id: (await targets.invitation(at)).id }),
  },
  {
    route: 'DELETE /v1/company/invitations/:id',
    kind: 'Company Owners, by id',
    ok: 204,
    values: async ({ targets, at }) => ({ id: (await targets.invitation(at)).id }),
  },

  { route: 'GET /v1/company/teams', kind: 'Company Admins', ok: 200, query: list },
  {
    route: 'POST /v1/company/teams',
    kind: 'Company Admins',
    ok: 201,
    body: (_values, cell) => ({ name: teamName(cell), ownerEmail: `${word(cell, 'staff')}@example.com` }),
  },
  {
    route: 'POST /v1/company/teams',
    about: 'for a member',
    kind: 'Company Admins, by id',
    ok: 201,
    ids: ['ownerUserId'],
    values: async ({ targets, at }) => ({ ownerUserId: (await targets.account(at)).userId }),
    body: ({ ownerUserId }, cell) => ({ name: teamName(cell), ownerUserId }),
  },
  { route: 'GET /v1/company/teams/:id', kind: 'Company Admins, by id', ok: 200, values: team },
  {
    route: 'PATCH /v1/company/teams/:id',
    kind: 'Company Admins, change of a Team',
    ok: 200,
    values: changedTeam,
    body: (_values, cell) => ({ name: teamName(cell) }),
  },
  {
    route: 'PATCH /v1/company/teams/:id',
    about: 'quota',
    kind: 'Company Owners, change of a Team',
    ok: 200,
    values: changedTeam,
    body: () => ({ quota: { chunks: 1_000_000, bytes: null } }),
  },
  { route: 'POST /v1/company/teams/:id/archive', kind: 'Company Admins, by id', ok: 200, values: activeTeam },
  {
    route: 'POST /v1/company/teams/:id/archive',
    about: 'archived already',
    kind: 'Company Admins, not in this state',
    ok: 200,
    values: archivedTeam,
  },
  {
    route: 'POST /v1/company/teams/:id/restore',
    kind: 'Company Admins, by id',
    ok: 200,
    values: archivedTeam,
  },
  {
    route: 'POST /v1/company/teams/:id/restore',
    about: 'active already',
    kind: 'Company Admins, not in this state',
    ok: 200,
    values: activeTeam,
  },
  { route: 'DELETE /v1/company/teams/:id', kind: 'Company Owners, by id', ok: 204, values: archivedTeam },
  {
    route: 'DELETE /v1/company/teams/:id',
    about: 'still active',
    kind: 'Company Owners, not in this state',
    ok: 204,
    values: activeTeam,
  },

  { route: 'GET /v1/company/access-requests', kind: 'Company Admins', ok: 200, query: list },
  {
    route: 'POST /v1/company/access-requests',
    about: 'to read',
    kind: 'asks for read access',
    ok: 201,
    fresh: true,
    ...ofTeam,
    body: asked('read'),
    late,
  },
  {
    route: 'POST /v1/company/access-requests',
    about: 'in full',
    kind: 'asks for full access',
    ok: 201,
    fresh: true,
    ...ofTeam,
    body: asked('full'),
    late,
  },
  {
    route: 'POST /v1/company/access-requests/:id/approve',
    kind: 'Company Owners, change of a Team',
    ok: 200,
    values: accessRequest,
  },
  {
    route: 'POST /v1/company/access-requests/:id/deny',
    kind: 'Company Owners, by id',
    ok: 200,
    values: accessRequest,
  },

  { route: 'GET /v1/company/grants', kind: 'Company Admins', ok: 200, query: list },
  {
    route: 'PUT /v1/company/grants/:userId/:teamId',
    kind: 'Company Owners, change of a Team',
    ok: 200,
    values: (cell) => grantee(cell),
    body: () => ({ access: 'full' }),
  },
  {
    route: 'DELETE /v1/company/grants/:userId/:teamId',
    kind: 'Company Owners, by id',
    ok: 204,
    values: (cell) => grantee(cell, 'read'),
  },

  { route: 'GET /v1/company/audit', kind: 'Company Owners', ok: 200, query: list },
  {
    route: 'GET /v1/company/audit',
    about: 'of one Team',
    kind: 'Company Owners',
    ok: 200,
    ...ofTeam,
    elsewhere: '200',
    query: ({ teamId }) => `teamId=${teamId}&limit=200`,
  },
  { route: 'GET /v1/company/audit/verify', kind: 'Company Owners', ok: 200 },
];
