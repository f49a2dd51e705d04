import { readBuiltConsole, readClientPackage } from '../../../../api/http/pages.ts';
import type { Caller } from '../callers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../row.ts';
import { PASSWORD } from '../targets.ts';

/** The package of the terminal client is there once `npm run build` has made it. */
const packaged = readClientPackage() === null ? 404 : 200;

const [asset = ''] = readBuiltConsole()?.assets.keys() ?? [];

const newcomer = { name: 'A newcomer', password: PASSWORD };

/** A credential is looked at only once the body has no password. */
const WITHOUT_PASSWORD = {
  refusal: ['401 unauthenticated', '401 agent_token_expired', '403 forbidden'],
  after: 'checks',
} as const;

/** The caller's own Team; for callers of another Company that Team of this one, whose invite they cannot use. */
const ownPlace = ({ home }: Caller, at: Place) => (home.companyId === at.companyId ? home : at);

/** Pages and documents that are the same for everybody. A page requests its records by itself. */
const DOCUMENTS = `
  /v1/health /v1/openapi.json /livez /readyz
  / /search /sources /review /memories /account /captures /imports /files /people /clients /tokens /audit /company
  /jobs /dashboard /activity /settings /reset /join /accept
  /docs /docs/json /docs/yaml /docs/static/swagger-initializer.js /docs/static/theme/icon.svg /docs/static/theme/look.css
`;

/** Routes that hold no one's data, or check a secret of their own; and those of anyone who is signed in. */
export const OPEN_ROWS: readonly Row[] = [
  ...DOCUMENTS.trim()
    .split(/\s+/)
    .map((path): Row => ({ route: `GET ${path}`, kind: 'open', ok: 200 })),
  { route: 'GET /assets/*', kind: 'open', ok: 200, values: async () => ({ '*': asset }) },
  { route: 'GET /sources/:id', kind: 'open', ok: 200, elsewhere: '200' },
  { route: 'GET /memories/:id', kind: 'open', ok: 200, elsewhere: '200' },
  { route: 'GET /metrics', kind: 'no session', ok: 200 },
  { route: 'GET /cli.tgz', kind: 'open', ok: packaged },
  { route: 'GET /cli.tgz.sha256', kind: 'open', ok: packaged },
  { route: 'HEAD /docs/', kind: 'open', ok: 200 },
  { route: 'GET /docs/static/index.html', kind: 'open', ok: 302 },
  {
    route: 'GET /docs/static/*',
    kind: 'open',
    ok: 200,
    values: async () => ({ '*': 'swagger-ui.css' }),
  },
  {
    route: 'OPTIONS *',
    kind: 'no method of any route',
    ok: 405,
    values: async () => ({ '*': '/v1/team' }),
  },

  { route: 'GET /v1/auth/options', kind: 'open', ok: 200 },
  {
    route: 'POST /v1/auth/login',
    kind: 'open',
    ok: 200,
    secret: true,
    values: async ({ at, targets }) => ({ email: (await targets.account(at, { teamRole: 'member' })).email }),
    body: ({ email }) => ({ email, password: PASSWORD }),
  },
  {
    route: 'POST /v1/auth/join',
    kind: 'open, into a Team',
    ok: 201,
    secret: true,
    values: async ({ at, targets }) => ({ token: (await targets.invite(at, 'people')).token }),
    body: ({ token }) => ({ token, ...newcomer }),
  },
  {
    route: 'POST /v1/auth/join',
    about: 'with the session',
    kind: 'the invited person, into a Team',
    ok: 200,
    fresh: true,
    adds: true,
    refusalByBody: WITHOUT_PASSWORD,
    values: async ({ at, caller, targets }) => {
      const team = ownPlace(caller, at);
      const { token } = await targets.inviteOf(team, caller.userId, 'team');
      return { token, told: await targets.listedTeam(team) };
    },
    // The answer lists the Team, which POST /v1/auth/link tells whoever has the token.
    repeats: ({ told = '' }) => told,
    body: ({ token }) => ({ token }),
  },
  {
    route: 'POST /v1/auth/reset',
    kind: 'open',
    ok: 200,
    secret: true,
    values: async ({ at, targets }) => ({ token: await targets.resetToken(at) }),
    body: ({ token }) => ({ token, newPassword: PASSWORD }),
  },
  {
    route: 'POST /v1/auth/forgot',
    kind: 'open',
    ok: 202,
    values: async ({ at, targets }) => ({ email: (await targets.account(at, { teamRole: 'member' })).email }),
    body: ({ email }) => ({ email }),
  },
  {
    route: 'POST /v1/auth/link',
    kind: 'open',
    ok: 200,
    secret: true,
    values: async ({ at, targets }) => ({ token: (await targets.invite(at, 'people')).token }),
    body: ({ token }) => ({ token }),
  },
  {
    route: 'POST /v1/company/invitations/accept',
    kind: 'open',
    ok: 201,
    secret: true,
    values: async ({ at, targets }) => ({ token: (await targets.invitation(at, 'staff')).token }),
    body: ({ token }) => ({ token, ...newcomer }),
  },
  {
    route: 'POST /v1/company/invitations/accept',
    about: 'with the session',
    kind: 'the invited person',
    ok: 200,
    fresh: true,
    adds: true,
    refusalByBody: WITHOUT_PASSWORD,
    values: async ({ at, caller, targets }) => ({
      token: (await targets.inviteOf(at, caller.userId, 'company')).token,
    }),
    body: ({ token }) => ({ token }),
  },

  { route: 'GET /v1/auth/session', kind: 'signed in', ok: 200 },
  {
    route: 'POST /v1/mcp',
    kind: 'signed in',
    ok: 200,
    reads: true,
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'whoami', arguments: {} },
    }),
  },
  { route: 'GET /v1/auth/sessions', kind: 'signed in', ok: 200, query: () => 'limit=200' },
  {
    route: 'DELETE /v1/auth/sessions/:id',
    kind: 'signed in',
    ok: 204,
    values: async ({ caller, at, foreign, targets }) => {
      const { id } = foreign
        ? await targets.session(at.companyId, at.ownerId)
        : await targets.session(caller.home.companyId, caller.userId);
      return { id };
    },
    // The session has ended with it, and is looked for first.
    late: { 'the account was closed': '404 not_found' },
  },
  {
    route: 'POST /v1/auth/logout',
    kind: 'signed in',
    ok: 204,
    fresh: true,
    body: () => ({}),
    // The session has ended with it.
    late: { 'the account was closed': null },
  },
  {
    route: 'POST /v1/auth/logout',
    about: 'everywhere',
    kind: 'signed in',
    ok: 204,
    fresh: true,
    body: () => ({ everywhere: true }),
    // The sessions have ended with it.
    late: { 'the account was closed': null },
  },
  {
    route: 'POST /v1/auth/password',
    kind: 'signed in',
    ok: 204,
    fresh: true,
    body: () => ({ currentPassword: PASSWORD, newPassword: `another, ${PASSWORD}` }),
    // invalid_credentials, because the password was deleted, or unauthenticated: it depends on the transaction.
    late: { 'the account was closed': '401' },
  },
  {
    route: 'PATCH /v1/auth/account',
    kind: 'signed in',
    ok: 200,
    fresh: true,
    body: () => ({ name: 'Another Name' }),
  },
];
