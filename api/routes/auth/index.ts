import type { Routes } from '../../types.ts';
import { accountRoute } from './account.ts';
import { joinRoute } from './join.ts';
import { linkRoute } from './link.ts';
import { loginRoute } from './login.ts';
import { logoutRoute } from './logout.ts';
import { passwordRoute } from './password.ts';
import { resetRoute } from './reset.ts';
import { sessionRoute } from './session.ts';
import { sessionsRoutes } from './sessions.ts';
import { ownTokenRoutes } from './token.ts';
import { ownTokensRoutes } from './tokens.ts';

/** /v1/auth for callers without a session. Each route checks a secret of its own. */
export const signInRoutes: readonly Routes[] = [loginRoute, joinRoute, resetRoute, linkRoute];

/** /v1/auth for signed-in callers: the session, the account, the password, and agent tokens. */
export const sessionRoutes: readonly Routes[] = [
  sessionRoute,
  sessionsRoutes,
  logoutRoute,
  passwordRoute,
  accountRoute,
  ownTokensRoutes,
  ownTokenRoutes,
];
