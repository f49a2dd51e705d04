import type { Cell, Row, Values } from '../row.ts';

const list = () => 'limit=200';
const client = async ({ targets, at }: Cell) => ({ id: await targets.client(at) });
const archivedClient = async ({ at }: Cell) => ({ id: at.archivedClient });
const member =
  (teamRole: 'member' | 'owner') =>
  async ({ targets, at }: Cell) => ({
    userId: (await targets.account(at, { teamRole })).userId,
  });
/** The name of a client that no grant of a caller reaches. */
const clientName = (_values: Values, { canaries, at }: Cell) => ({ name: canaries.word('client-b', at.key) });

const invite = ({ clientId }: Values, { canaries, at }: Cell) => ({
  email: `${canaries.word('invited', at.key)}@example.com`,
  role: 'member',
  grants: [{ clientId, access: 'write' }],
});
/** A member with a grant on a client. */
const grantOn = async ({ targets, at }: Cell, clientId: string) => {
  const clients = { [clientId]: 'read' } as const;
  return { userId: (await targets.account(at, { teamRole: 'member', clients })).userId, clientId };
};

/** Routes of the selected Team. */
export const TEAM_ROWS: readonly Row[] = [
  { route: 'GET /v1/team', kind: 'Team', ok: 200 },
  { route: 'GET /v1/team/activity', kind: 'Team, Full access', ok: 200 },
  {
    route: 'PATCH /v1/team',
    kind: 'Team, Full access, change',
    ok: 200,
    body: () => ({ publish: 'review' }),
  },
  {
    route: 'PATCH /v1/team',
    about: 'renames it',
    kind: 'Team, Full access, change',
    ok: 200,
    body: (_values, { canaries, at }) => ({ name: canaries.word('team-name', at.key) }),
  },

  { route: 'GET /v1/team/clients', kind: 'Team', ok: 200, query: list },
  {
    route: 'GET /v1/team/clients',
    about: 'archived ones',
    kind: 'Team, Full access',
    ok: 200,
    query: () => 'state=archived&limit=200',
  },
  {
    route: 'POST /v1/team/clients',
    kind: 'Team, Full access, change',
    ok: 201,
    body: clientName,
  },
  {
    route: 'PATCH /v1/team/clients/:id',
    kind: 'Team, Full access, change',
    ok: 200,
    values: client,
    body: clientName,
  },
  {
    route: 'PATCH /v1/team/clients/:id',
    about: 'renames an archived one',
    kind: 'Team, Full access, not there',
    ok: 200,
    values: archivedClient,
    body: clientName,
  },
  {
    route: 'PATCH /v1/team/clients/:id',
    about: 'brings an archived one back',
    kind: 'Team, Full access, change',
    ok: 200,
    values: async ({ targets, at }) => ({ id: await targets.client(at, 'archived') }),
    body: () => ({ state: 'active' }),
  },
  { route: 'DELETE /v1/team/clients/:id', kind: 'Team, Full access, change', ok: 204, values: client },
  {
    route: 'DELETE /v1/team/clients/:id',
    about: 'an archived one',
    kind: 'Team, Full access, not there',
    ok: 204,
    values: archivedClient,
  },

  { route: 'GET /v1/team/members', kind: 'Team', ok: 200, query: list },
  {
    route: 'PATCH /v1/team/members/:userId',
    kind: 'Team, Full access, change',
    ok: 200,
    values: member('member'),
    body: () => ({ role: 'admin' }),
  },
  {
    route: 'PATCH /v1/team/members/:userId',
    about: 'makes a Team Owner',
    kind: 'Team Owners, change',
    ok: 200,
    values: member('member'),
    body: () => ({ role: 'owner' }),
  },
  {
    route: 'PATCH /v1/team/members/:userId',
    about: 'of a Team Owner',
    kind: 'Team Owners, change',
    ok: 200,
    values: member('owner'),
    body: () => ({ role: 'member' }),
  },
  {
    route: 'DELETE /v1/team/members/:userId',
    kind: 'Team, Full access',
    ok: 204,
    values: member('member'),
  },
  {
    route: 'DELETE /v1/team/members/:userId',
    about: 'a Team Owner',
    kind: 'Team Owners, removal',
    ok: 204,
    values: member('owner'),
  },

  { route: 'GET /v1/team/invites', kind: 'Team, Full access', ok: 200, query: list },
  {
    route: 'POST /v1/team/invites',
    kind: 'Team, Full access, change',
    ok: 201,
    ids: ['clientId'],
    values: async ({ targets, at }) => ({ clientId: await targets.client(at) }),
    body: invite,
  },
  {
    route: 'POST /v1/team/invites',
    about: 'with a grant for an archived client',
    kind: 'Team, Full access, not there',
    ok: 201,
    values: async ({ at }) => ({ clientId: at.archivedClient }),
    body: invite,
  },
  {
    route: 'POST /v1/team/invites',
    about: 'adds a member of the Company',
    kind: 'Team, Full access, change',
    ok: 201,
    adds: true,
    ids: ['userId'],
    ofCompany: true,
    values: async ({ targets, at }) => ({ userId: (await targets.account(at)).userId }),
    body: ({ userId }) => ({ userId, role: 'member' }),
  },
  {
    route: 'POST /v1/team/invites',
    about: 'adds a Team Owner',
    kind: 'Team Owners, change',
    ok: 201,
    adds: true,
    ids: ['userId'],
    ofCompany: true,
    values: async ({ targets, at }) => ({ userId: (await targets.account(at)).userId }),
    body: ({ userId }) => ({ userId, role: 'owner' }),
  },
  {
    route: 'GET /v1/team/people',
    kind: 'Team, Full access',
    ok: 200,
    values: async ({ targets, at }) => {
      const { email } = await targets.account(at);
      return { q: email };
    },
    query: ({ q = '' }) => `q=${encodeURIComponent(q)}`,
  },
  {
    route: 'POST /v1/team/invites/:id/resend',
    kind: 'Team, Full access, change',
    ok: 200,
    values: async ({ targets, at }) => ({ id: (await targets.invite(at)).id }),
  },
  {
    route: 'DELETE /v1/team/invites/:id',
    kind: 'Team, Full access',
    ok: 204,
    values: async ({ targets, at }) => ({ id: (await targets.invite(at)).id }),
  },

  { route: 'GET /v1/team/grants', kind: 'Team', ok: 200, query: list },
  {
    route: 'PUT /v1/team/grants/:userId/:clientId',
    kind: 'Team, Full access, change',
    ok: 200,
    values: async (cell) => ({ ...(await member('member')(cell)), clientId: (await client(cell)).id }),
    body: () => ({ access: 'write' }),
  },
  {
    route: 'PUT /v1/team/grants/:userId/:clientId',
    about: 'for an archived client',
    kind: 'Team, Full access, not there',
    ok: 200,
    values: async (cell) => ({ ...(await member('member')(cell)), clientId: cell.at.archivedClient }),
    body: () => ({ access: 'write' }),
  },
  {
    route: 'DELETE /v1/team/grants/:userId/:clientId',
    kind: 'Team, Full access',
    ok: 204,
    values: async (cell) => grantOn(cell, (await client(cell)).id),
  },
  {
    route: 'DELETE /v1/team/grants/:userId/:clientId',
    about: 'for an archived client',
    kind: 'Team, Full access, not there',
    ok: 204,
    values: (cell) => grantOn(cell, cell.at.archivedClient),
  },
];
