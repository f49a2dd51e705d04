import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptInviteSignedIn } from '../../core/accounts/accept-signed-in.ts';
import {
  type AccountChange,
  acceptInvite,
  changeAccount,
  changePassword,
  type Proof,
} from '../../core/accounts/commands.ts';
import {
  createMemberResetLink,
  createOwnerResetLink,
  linkBase,
  readLink,
  resetPassword,
} from '../../core/accounts/links.ts';
import {
  endSession,
  getSession,
  getSignInOptions,
  listSessions,
  login,
  logout,
} from '../../core/accounts/sign-in.ts';
import { requestReset } from '../../core/mail/commands.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { canonicalEmail, parseEmail } from '../../shared/formats/names.ts';
import { parseId } from '../../shared/ids.ts';
import {
  Account,
  AccountRequest,
  CompanyRequired,
  DEFAULT_RESET_LINK_SECONDS,
  ForgotRequest,
  JoinRequest,
  Link,
  LinkRequest,
  LoginRequest,
  LogoutRequest,
  MemberResetLinkRequest,
  PasswordRequest,
  ResetLink,
  ResetLinkRequest,
  ResetRequest,
  Session,
  SessionInfo,
  SessionRecord,
  SignInOptions,
} from '../../shared/schemas/accounts.ts';
import { Page, PageQuery } from '../../shared/schemas/common.ts';
import { companyScope } from '../../shared/scope.ts';
import {
  assertFromConsole,
  clearConsoleCookie,
  hasCredential,
  setConsoleCookie,
} from '../http/console-cookie.ts';
import { owningCompany, signedIn, withinToken } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams, UserParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

const loginSchema = {
  operationId: 'login',
  summary: 'Sign in',
  description:
    'An unknown email and a wrong password get the same response, after the same time. If the email has accounts in several ' +
    'Companies, the password decides: 409 `company_required` if it is that of several of them.',
  tags: ['auth'],
  body: LoginRequest,
  response: {
    200: Session,
    409: {
      description: 'The password signs in to accounts of several Companies',
      content: { 'application/problem+json': { schema: CompanyRequired } },
    },
  },
  errors: errorCodes('invalid_credentials', 'company_required'),
};

const optionsSchema = {
  operationId: 'getSignInOptions',
  summary: 'How people can sign in',
  tags: ['auth'],
  response: { 200: SignInOptions },
};

/** The codes of routes that accept an invite. Those without a password are the codes of the guards, and `forbidden`. */
const ACCEPT_ERRORS = errorCodes(
  'not_found',
  'token_used',
  'token_expired',
  'token_revoked',
  'invalid_credentials',
  'password_refused',
  'unauthenticated',
  'session_expired',
  'agent_token_expired',
  'forbidden',
);

const acceptRouteSchema = {
  body: JoinRequest,
  response: { 200: SessionInfo, 201: Session },
  // A credential is looked at only in a request without a password.
  security: [{}, { bearer: [] }],
};

const joinSchema = {
  ...acceptRouteSchema,
  operationId: 'joinTeam',
  summary: 'Accept an invite into a Team',
  description:
    'Creates an account for the invited email and signs in (201). If the email has an account, send its current password; ' +
    'the account keeps its name. Or send `token` alone with the session of that account, which goes on (200): 403 ' +
    '`forbidden` if the account has another email. Errors: 404 `not_found` for an unknown token; 410 `token_used`, ' +
    '`token_expired`, `token_revoked`; 401 `invalid_credentials`; 422 `password_refused` if the password of a ' +
    'new account is easily guessed; 409 `team_archived`. Only success uses the token.',
  tags: ['auth'],
  errors: errorCodes(...ACCEPT_ERRORS, 'team_archived'),
};

const linkSchema = {
  operationId: 'readLink',
  summary: 'Describe a one-time link',
  description:
    'For the page of a reset link, an invite or an invitation. Does not use the token. Errors: 404 `not_found` for ' +
    'an unknown token; 410 `token_used`, `token_expired`, `token_revoked`.',
  tags: ['auth'],
  body: LinkRequest,
  response: { 200: Link },
  errors: errorCodes('not_found', 'token_used', 'token_expired', 'token_revoked'),
};

const forgotSchema = {
  operationId: 'requestReset',
  summary: 'Have reset links mailed',
  description:
    'Mails a link for each account of the email, which works for an hour. The response and its time do not depend on ' +
    'whether there is one. At most three mails an hour go to an email. 404 `not_found` if the service sends no mail.',
  tags: ['auth'],
  body: ForgotRequest,
  response: { 202: { type: 'null', description: 'A mail is sent if the email has an account' } },
  errors: errorCodes('not_found'),
} as const;

const resetSchema = {
  operationId: 'resetPassword',
  summary: 'Set a password by a reset link',
  description:
    'Uses the link and the other open links of the user, and ends every other session of them. Also revokes their agent ' +
    'tokens, unless the account never had a password or the request has `keepTokens: true`. Errors: 404 `not_found` for ' +
    'an unknown token; 410 `token_used`, `token_expired`, `token_revoked`; 422 `password_refused` if the password is ' +
    'easily guessed. Only success uses the link.',
  tags: ['auth'],
  body: ResetRequest,
  response: { 200: Session },
  errors: errorCodes('not_found', 'token_used', 'token_expired', 'token_revoked', 'password_refused'),
};

const sessionSchema = {
  operationId: 'getSession',
  summary: 'The signed-in user, and their access',
  tags: ['auth'],
  response: { 200: SessionInfo },
};

const logoutSchema = {
  operationId: 'logout',
  summary: 'Sign out',
  description:
    'Ends the session that the request is sent with, or with `everywhere` every session of the user, and deletes the ' +
    'cookie that the request was sent with. The service token is not a session and remains valid.',
  tags: ['auth'],
  body: LogoutRequest,
  response: { 204: { type: 'null', description: 'Signed out' } },
} as const;

const passwordSchema = {
  operationId: 'changePassword',
  summary: 'Change the password',
  description:
    'Ends every other session of the user and revokes their open reset links. 422 `password_refused` if the new password ' +
    'is easily guessed.',
  tags: ['auth'],
  body: PasswordRequest,
  response: { 204: { type: 'null', description: 'Changed' } },
  errors: errorCodes('invalid_credentials', 'password_refused'),
} as const;

const accountSchema = {
  operationId: 'changeAccount',
  summary: 'Change your name or your email',
  description: 'Another email ends every other session of yours and revokes your open reset links.',
  tags: ['auth'],
  body: AccountRequest,
  response: { 200: Account },
  errors: errorCodes('invalid_credentials', 'conflict'),
};

function parseChange({ name, email }: AccountRequest): AccountChange {
  if (name === undefined && email === undefined) throw invalidField('/', 'must have name or email');
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email: parseEmail(email) }),
  };
}

function parseProof({ email, password }: AccountRequest, address: string): Proof | null {
  if (email === undefined && password !== undefined) {
    throw invalidField('/password', 'is allowed only with email');
  }
  if (email !== undefined && password === undefined)
    throw invalidField('/password', 'is required with email');
  return password === undefined ? null : { password, address };
}

/** /v1/auth/options: for everyone, and without a limit. */
export const signInOptionRoutes: Routes = (app, deps) => {
  app.get('/v1/auth/options', { schema: optionsSchema }, async () => getSignInOptions(deps));
};

/** /v1/auth/session, /v1/auth/sessions, /v1/auth/logout, /v1/auth/password, /v1/auth/account */
export const ownAccountRoutes: Routes = (app, deps) => {
  app.get('/v1/auth/session', { config: { permission: 'any' }, schema: sessionSchema }, async (request) =>
    getSession(request.identity),
  );

  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: 'Your sessions, newest first',
        tags: ['auth'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(SessionRecord) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listSessions(deps, companyScope(identity), part, identity.session?.id)),
  );

  app.delete(
    '/v1/auth/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        tags: ['auth'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Ended' } },
      } as const,
    },
    async (request, reply) => {
      const { identity, params } = request;
      const id = parseId(params.id);
      await endSession(deps, companyScope(identity), id);
      if (id === identity.session?.id) clearConsoleCookie(request, reply, deps.config);
      reply.code(204);
    },
  );

  app.post('/v1/auth/logout', { schema: logoutSchema }, async (request, reply) => {
    const { identity, body } = request;
    const sessionId = identity.session?.id ?? null;
    await logout(deps, companyScope(identity), { sessionId, everywhere: body.everywhere === true });
    clearConsoleCookie(request, reply, deps.config);
    reply.code(204);
  });

  app.post('/v1/auth/password', { schema: passwordSchema }, async ({ identity, body, ip }, reply) => {
    await changePassword(deps, companyScope(identity), {
      email: identity.email,
      name: identity.name,
      password: body.currentPassword,
      newPassword: body.newPassword,
      address: normalizeIP(ip),
      sessionId: identity.session?.id ?? null,
    });
    reply.code(204);
  });

  app.patch('/v1/auth/account', { schema: accountSchema }, async ({ identity, body, ip }) =>
    changeAccount(deps, identity, parseChange(body), parseProof(body, normalizeIP(ip))),
  );
};

const acceptSchema = {
  ...acceptRouteSchema,
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation to become a Company Admin',
  description: 'Works as POST /v1/auth/join does for an invite into a Team.',
  tags: ['company'],
  errors: ACCEPT_ERRORS,
};

/** @throws ServiceError `invalid_request` if what a password needs is missing, or stands there without one */
function parseNewcomer({ token, name, password, cookie }: JoinRequest) {
  if (password === undefined) {
    const wrong = name !== undefined ? '/name' : cookie !== undefined ? '/cookie' : null;
    if (wrong !== null) throw invalidField(wrong, 'is allowed only with password');
    return null;
  }
  if (name === undefined) throw invalidField('/name', 'is required with password');
  return { token, name, password };
}

/** /v1/auth/login, /v1/auth/join, /v1/auth/link, /v1/auth/forgot, /v1/auth/reset, /v1/company/invitations */
export const signedOutAccountRoutes: Routes = (app, deps) => {
  /** Starts a session: its token is in the answer, or in the cookie of the console if the body asks for that. */
  const answerSession = async (
    request: FastifyRequest & { body: { cookie?: boolean } },
    reply: FastifyReply,
    start: (caller: { address: string; userAgent: string | undefined }) => Promise<Session>,
  ) => {
    const { body, ip, headers } = request;
    const inCookie = body.cookie === true;
    // First, so that a refused request uses no link.
    if (inCookie) assertFromConsole(request);
    const session = await start({ address: normalizeIP(ip), userAgent: headers['user-agent'] });
    if (!inCookie) return session;
    const { token, ...shown } = session;
    setConsoleCookie(request, reply, deps.config, token);
    return shown;
  };

  app.post('/v1/auth/login', { schema: loginSchema }, async (request, reply) => {
    const { email, password, companyId } = request.body;
    return answerSession(request, reply, (caller) =>
      login(deps, { email: canonicalEmail(email), password, companyId, ...caller }),
    );
  });

  const identifyCaller = signedIn(deps);

  /** Accepts an invite: with a password, or for the account of the session with which the request is sent. */
  const accept = async (
    request: FastifyRequest<{ Body: JoinRequest }>,
    reply: FastifyReply,
    kind: 'team' | 'company',
  ) => {
    const newcomer = parseNewcomer(request.body);
    if (newcomer !== null) {
      reply.code(201);
      return answerSession(request, reply, (caller) => acceptInvite(deps, { ...newcomer, ...caller }, kind));
    }
    if (!hasCredential(request, deps.config)) {
      const remedy = 'send a name and a password, or the session of the invited person';
      throw new ServiceError(
        'unauthenticated',
        `The request has neither a password nor a credential; ${remedy}`,
      );
    }
    await identifyCaller.call(app, request, reply);
    await withinToken.call(app, request, reply);
    return acceptInviteSignedIn(deps, request.identity, request.body.token, kind);
  };

  app.post('/v1/auth/join', { schema: joinSchema }, (request, reply) => accept(request, reply, 'team'));

  app.post('/v1/auth/link', { schema: linkSchema }, async ({ body }) => readLink(deps, body.token));

  app.post('/v1/auth/forgot', { schema: forgotSchema }, async ({ body }, reply) => {
    await requestReset(deps, parseEmail(body.email));
    reply.code(202);
  });

  app.post('/v1/auth/reset', { schema: resetSchema }, async (request, reply) =>
    answerSession(request, reply, (caller) => resetPassword(deps, { ...request.body, ...caller })),
  );

  app.post('/v1/company/invitations/accept', { schema: acceptSchema }, (request, reply) =>
    accept(request, reply, 'company'),
  );
};

/** Links that set a new password. Company Owners create them for others. */
export const companyAccountRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/company/reset-links',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'createOwnerResetLink',
        summary: 'Create a reset link for an Owner',
        description:
          'For Company Owners. 404 `not_found` unless the email is of an Owner of the Team or of the Company. A new ' +
          'link replaces the open ones of that person. The link is shown only once; with mail, another one is mailed ' +
          'to the person.',
        tags: ['company'],
        body: ResetLinkRequest,
        response: { 201: ResetLink },
        errors: errorCodes('not_found'),
      },
    },
    async ({ identity, body }, reply) => {
      const { baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } = body;
      const base = linkBase(deps.config, app.server, baseUrl);
      const owner = { teamId: parseId(body.teamId), email: canonicalEmail(body.email) };
      const link = await createOwnerResetLink(deps, companyScope(identity), { ...owner, base, ttlSeconds });
      reply.code(201);
      return link;
    },
  );

  app.post(
    '/v1/company/members/:userId/reset-link',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'createMemberResetLink',
        summary: 'Create a reset link for a member who forgot the password',
        description:
          'For Company Owners. A new link replaces the open ones of that person. The link is shown only once; with ' +
          'mail, another one is mailed to the person.',
        tags: ['company'],
        params: UserParams,
        body: MemberResetLinkRequest,
        response: { 201: ResetLink },
      },
    },
    async ({ identity, params, body: { baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } }, reply) => {
      const base = linkBase(deps.config, app.server, baseUrl);
      const userId = parseId(params.userId);
      const link = await createMemberResetLink(deps, companyScope(identity), { userId, base, ttlSeconds });
      reply.code(201);
      return link;
    },
  );
};
