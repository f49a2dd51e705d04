import assert from 'node:assert/strict';
import type { SignedIn, TestApp } from './app.ts';
import { callerOf } from './client/client.ts';

/** The secret of a one-time link, as the page reads it. */
export function linkToken(url: string): string {
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('token');
  assert.ok(token, 'the link has a token in its fragment');
  return token;
}

/** Makes a reset link for an Owner through the API. */
export async function makeResetLink(
  { app }: Pick<TestApp, 'app'>,
  company: SignedIn,
  body: Record<string, unknown> = {},
): Promise<{ url: string; token: string; expiresAt: string }> {
  const { authorization } = company.headers;
  const draft = { teamId: company.teamId, email: company.ownerEmail, ...body };
  const link = await callerOf(app, { authorization }).api.createOwnerResetLink(draft);
  return { ...link, token: linkToken(link.url) };
}

/** Uses a reset link. */
export function useLink(
  { app }: Pick<TestApp, 'app'>,
  token: string,
  newPassword: string,
  more: { keepTokens?: boolean } = {},
) {
  return app.inject({ method: 'POST', url: '/v1/auth/reset', payload: { token, newPassword, ...more } });
}

/** Signs in by password. */
export function signInBy({ app }: Pick<TestApp, 'app'>, email: string, password: string) {
  return app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email, password } });
}

/** Asks who a session token belongs to. */
export function askSession({ app }: Pick<TestApp, 'app'>, token: string) {
  return app.inject({ url: '/v1/auth/session', headers: { authorization: `Bearer ${token}` } });
}

/** Makes an account of the Company, and of the Team where a role there is given, by hand. */
export async function addAccount(
  { database }: Pick<TestApp, 'database'>,
  company: Pick<SignedIn, 'companyId' | 'teamId'>,
  account: { userId: string; email: string; role: string; teamRole?: string | undefined },
): Promise<void> {
  await database.query(
    'insert into identity.account (company_id, id, email, name, role) values ($1, $2, $3, $4, $5)',
    [company.companyId, account.userId, account.email, 'Someone', account.role],
  );
  if (account.teamRole === undefined) return;
  await database.query(
    'insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, $4)',
    [company.companyId, company.teamId, account.userId, account.teamRole],
  );
}

/** Status and code of an answer, which together say all of a refusal. A success without a body is its status. */
export function outcome(answer: { statusCode: number; body: string; json<T>(): T }): string {
  if (answer.body === '') return String(answer.statusCode);
  return `${answer.statusCode} ${answer.json<{ code?: string }>().code ?? ''}`.trim();
}
