import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { App } from '../../api/types.ts';
import type { Config } from '../../shared/config.ts';
import { hashToken } from '../../shared/tokens.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import {
  addPasswordHolder,
  makeInvitation,
  makeInvite,
  PASSWORD,
  type PasswordHolder,
} from '../support/invites.ts';
import { assertInvalid } from '../support/refusals.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { makeResetLink, outcome, signInBy } from '../support/sign-in.ts';

const service = await openTestApp();
const { app, database } = service;
const company = await service.company();

type Headers = Record<string, string>;
const CONSOLE = { 'memory-console': '1' };
const SESSION = '/v1/auth/session';

/** A service with other settings on the same database. */
async function openWith(t: TestContext, changed: Partial<Config>): Promise<App> {
  const other = await buildTestedApp({ ...service, config: { ...service.config, ...changed } });
  t.after(() => other.close());
  return other;
}

/** Where a sign-in is sent to, and from. */
interface Way {
  to?: App;
  headers?: Headers;
  remoteAddress?: string;
}

/** Signs in as the console does. */
async function signIn(
  { email }: Pick<PasswordHolder, 'email'>,
  { to = app, headers = {}, remoteAddress = '127.0.0.1' }: Way = {},
) {
  const payload = { email, password: PASSWORD, cookie: true };
  const [method, url] = ['POST', '/v1/auth/login'] as const;
  const answer = await to.inject({
    method,
    url,
    payload,
    remoteAddress,
    headers: { ...CONSOLE, ...headers },
  });
  assert.equal(answer.statusCode, 200, answer.body);
  const line = String(answer.headers['set-cookie']);
  const cookie = line.slice(0, line.indexOf(';'));
  const [name = '', token = ''] = cookie.split('=');
  return { line, cookie, name, token };
}

/** A person who is signed in by cookie. */
async function consoleUser(ties: Parameters<typeof addPasswordHolder>[2] = { teamRole: 'member' }) {
  const person = await addPasswordHolder(service, company, ties);
  return { ...person, ...(await signIn(person)) };
}

const ask = (url: string, headers: Headers, method: 'GET' | 'POST' | 'DELETE' = 'GET', payload?: object) =>
  app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
const withCookie = (cookie: string): Headers => ({ ...CONSOLE, cookie });
const outcomeOf = async (headers: Headers, url = SESSION) => outcome(await ask(url, headers));

describe('a sign-in with cookie: true', () => {
  const WAYS = {
    '/v1/auth/login': async () => {
      const { email } = await addPasswordHolder(service, company, { teamRole: 'member' });
      return { email, password: PASSWORD };
    },
    '/v1/auth/join': async () => {
      const { token } = await makeInvite(service, company);
      return { token, name: 'A newcomer', password: PASSWORD };
    },
    '/v1/company/invitations/accept': async () => {
      const { token } = await makeInvitation(company);
      return { token, name: 'A newcomer', password: PASSWORD };
    },
    '/v1/auth/reset': async () => {
      const { token } = await makeResetLink(service, await service.company());
      return { token, newPassword: PASSWORD };
    },
  };

  for (const [url, makeBody] of Object.entries(WAYS)) {
    test(`sets the cookie and returns no token: ${url}`, async () => {
      const body = await makeBody();
      const answer = await ask(url, CONSOLE, 'POST', { ...body, cookie: true });
      assert.ok(answer.statusCode < 300, answer.body);
      assert.match(
        String(answer.headers['set-cookie']),
        /^memory-[a-z]{8}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const [, token = ''] = /=([\w-]{43});/.exec(String(answer.headers['set-cookie'])) ?? [];
      assert.ok(!answer.body.includes(token));
      const { token: absent, ...session } = answer.json<Record<string, unknown>>();
      assert.equal(absent, undefined);
      const read = await ask(SESSION, withCookie(`${String(answer.headers['set-cookie']).split(';')[0]}`));
      assert.deepEqual(
        { ...read.json<object>(), expiresAt: null },
        { ...session, expiresAt: null },
        'the session of the cookie',
      );
    });

    test(`is refused without the header of the console, and uses nothing: ${url}`, async () => {
      const body = await makeBody();
      for (const header of [undefined, '', '0', 'true', '1, 1']) {
        const headers = header === undefined ? {} : { 'memory-console': header };
        const answer = await ask(url, headers, 'POST', { ...body, cookie: true });
        assertInvalid(answer, '/cookie');
        assert.equal(answer.headers['set-cookie'], undefined);
      }
      const answer = await ask(url, CONSOLE, 'POST', { ...body, cookie: false });
      assert.match(answer.json<{ token: string }>().token, /^[\w-]{43}$/, 'as before for cookie: false');
      assert.equal(answer.headers['set-cookie'], undefined);
    });
  }

  test('is checked for the header before the password, so a wrong one does not count as failed', async () => {
    const { email } = await addPasswordHolder(service, company, { teamRole: 'member' });
    for (let at = 0; at < 11; at += 1) {
      const body = { email, password: 'not that password', cookie: true };
      assertInvalid(await ask('/v1/auth/login', {}, 'POST', body), '/cookie');
    }
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '200');
  });

  test('lasts in the browser as long as the session can', async (t) => {
    const short = await openWith(t, { sessionMaxSeconds: 90 });
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    assert.match((await signIn(person, { to: short })).line, /; Max-Age=90; /);
  });
});

const person = await addPasswordHolder(service, company, { teamRole: 'member' });
const proxied = await openTestApp({ MEMORY_TRUSTED_PROXIES: '192.0.2.7' });
describe('the name of the cookie', () => {
  const https = { 'x-forwarded-proto': 'https' };
  const SECURE =
    /^__Host-memory-[a-z]{8}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/;
  const PLAIN = /^memory-[a-z]{8}=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/;

  test('is that of a secure cookie if the public address is https, whatever a proxy says', async (t) => {
    const publicUrl = 'https://memory.example.com';
    const secure = await openWith(t, { publicUrl });
    const { line, cookie } = await signIn(person, { to: secure, headers: { 'x-forwarded-proto': 'http' } });
    assert.match(line, SECURE);
    assert.equal((await secure.inject({ url: SESSION, headers: withCookie(cookie) })).statusCode, 200);
    const unprefixed = cookie.replace('__Host-', '');
    const answer = await secure.inject({ url: SESSION, headers: withCookie(unprefixed) });
    assert.equal(outcome(answer), '401 unauthenticated', 'another host of the domain can set this name');
    const cleared = await secure.inject({
      method: 'POST',
      url: '/v1/auth/logout',
      headers: withCookie(cookie),
      payload: {},
    });
    assert.match(
      String(cleared.headers['set-cookie']),
      /^__Host-memory-[a-z]{8}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const plain = await openWith(t, { ...proxied.config, publicUrl: 'http://memory.example.com' });
    const asked = { to: plain, headers: https, remoteAddress: '192.0.2.7' };
    assert.match((await signIn(person, asked)).line, PLAIN);
  });

  test('is that of a secure cookie if a trusted proxy says https, and no other caller', async () => {
    const to = proxied.app;
    const remoteAddress = '192.0.2.7';
    const { line, name } = await signIn(person, { to, headers: https, remoteAddress });
    assert.match(line, SECURE);
    const direct = await signIn(person, { to });
    assert.equal(`__Host-${direct.name}`, name);
    for (const other of [
      { to, headers: https, remoteAddress: '192.0.2.8' },
      { to, headers: { 'x-forwarded-proto': 'http' }, remoteAddress },
      { to: app, headers: https, remoteAddress },
    ]) {
      assert.match((await signIn(person, other)).line, PLAIN);
    }
  });

  test('differs between the addresses of services, and stays with an address', async (t) => {
    const settings: Partial<Config>[] = [
      {},
      { port: 9001 },
      { port: 9002 },
      { port: 9001, host: '127.0.0.2' },
      { publicUrl: 'http://a.example:9001' },
      { publicUrl: 'http://a.example:9002' },
    ];
    const nameOf = async (changed: Partial<Config>) =>
      (await signIn(person, { to: await openWith(t, changed) })).name;
    const names = await Promise.all(settings.map(nameOf));
    assert.equal(new Set(names).size, settings.length);
    assert.equal(await nameOf({ port: 9001 }), names[1], 'after a restart');
  });

  test('is made of the port that the service listens on', async (t) => {
    const free = await openWith(t, { host: '127.0.0.1', port: 0 });
    await free.listen({ host: '127.0.0.1', port: 0 });
    const { port } = free.server.address() as AddressInfo;
    const fixed = await openWith(t, { host: '127.0.0.1', port });
    assert.equal((await signIn(person, { to: free })).name, (await signIn(person, { to: fixed })).name);
    const answer = await fetch(`http://127.0.0.1:${port}${SESSION}`, {
      headers: withCookie(`${'x'.repeat(20_000)}=1`),
    });
    assert.equal(answer.status, 400, 'a header that is too long');
    assert.equal(((await answer.json()) as { code: string }).code, 'invalid_request');
  });
});

const { cookie, name, token, ...user } = await consoleUser();
const agent = await createAgent(service, user, company);
describe('the cookie of the console', () => {
  test('counts only with the header of the console', async () => {
    assert.equal(await outcomeOf(withCookie(cookie)), '200');
    for (const header of ['', '0', '2', '1, 1', 'true']) {
      assert.equal(await outcomeOf({ cookie, 'memory-console': header }), '401 unauthenticated', header);
    }
    assert.equal(await outcomeOf({ cookie }), '401 unauthenticated');
    assert.equal(await outcomeOf(CONSOLE), '401 unauthenticated');
  });

  test('does not count if any Authorization is sent', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer none', 'Basic eDp5', `Bearer ${token} ${token}`]) {
      const headers = { ...withCookie(cookie), authorization };
      assert.equal(await outcomeOf(headers), '401 unauthenticated', authorization);
    }
    const answer = await ask(SESSION, {
      ...withCookie(cookie),
      authorization: company.headers.authorization,
    });
    assert.equal(answer.json<{ user: { id: string } }>().user.id, company.ownerId);
  });

  test('is not read by /v1/mcp and by routes outside of /v1', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const url of ['/v1/mcp', '/v1/mcp/', '/v1/%6dcp', '/v1/mcp?a=b']) {
      const answer = await ask(url, withCookie(cookie), 'POST', message);
      assert.equal(outcome(answer), '401 unauthenticated', url);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(await outcomeOf(withCookie(cookie), url), '401 unauthenticated', url);
    }
    for (const value of [token, API_TOKEN]) {
      assert.equal(await outcomeOf(withCookie(`${name}=${value}`), '/metrics'), '401 unauthenticated');
    }
  });

  test('is the token of a session and of nothing else', async () => {
    for (const value of [API_TOKEN, agent.token]) {
      assert.equal(await outcomeOf(withCookie(`${name}=${value}`)), '401 unauthenticated');
    }
  });

  test('is found among many cookies, and refused if others have its name', async () => {
    const many = Array.from({ length: 150 }, (_, at) => `other-${at}=${at}`).join('; ');
    for (const cookies of [
      `${many}; ${cookie}`,
      `${cookie};${many}`,
      `a=${cookie}; ${cookie}; x${name}=1; ${name}x=1; __Host-${name}=1; ; =; b`,
    ]) {
      assert.equal(await outcomeOf(withCookie(cookies)), '200', cookies);
    }
    for (const cookies of [`${cookie}; ${name}=planted`, `${name}=; ${cookie}`, `${cookie}; ${cookie}`]) {
      const answer = await ask(SESSION, withCookie(cookies));
      assert.equal(outcome(answer), '401 unauthenticated', cookies);
      assert.match(answer.json<{ detail: string }>().detail, /delete the cookies of this site/);
    }
  });

  test('is refused if its value is no token, and stays in the browser', async () => {
    const values = ['', ' ', '%', '%00', '"', `"${token}"`, `${token}=`, '\u00ff', '[]', 'x'.repeat(8000)];
    for (const value of values) {
      const answer = await ask(SESSION, withCookie(`${name}=${value}`));
      assert.equal(outcome(answer), '401 unauthenticated', value);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(
        answer.headers['set-cookie'],
        undefined,
        'the browser can have signed in again since then',
      );
    }
  });
});

describe('the session of a cookie', () => {
  const CLEARED = /^memory-[a-z]{8}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/;
  const owner = () => consoleUser({ companyRole: 'owner' });
  const idOf = async (token: string) => {
    const [row] = await database.query<{ id: string }>(
      'select id from identity.session where token_hash = $1',
      [hashToken(token)],
    );
    return row?.id ?? '';
  };

  test('ends in all tabs when one signs out, by each way to end it, and the cookie is deleted', async () => {
    const ways = {
      logout: () => ['POST', '/v1/auth/logout', {}],
      'logout everywhere': () => ['POST', '/v1/auth/logout', { everywhere: true }],
      'own session': async ({ token }) => [
        'DELETE',
        `/v1/auth/sessions/${(await idOf(token)).toUpperCase()}`,
      ],
      'own membership': ({ userId }) => ['DELETE', `/v1/company/members/${userId}`],
      'own erasure': ({ userId }) => ['POST', `/v1/company/members/${userId}/erase`],
    } satisfies Record<string, (user: { token: string; userId: string }) => unknown>;
    for (const [way, of] of Object.entries(ways)) {
      const user = await owner();
      const [method, url, payload] = (await of(user)) as ['POST' | 'DELETE', string, object | undefined];
      const answer = await ask(url, withCookie(user.cookie), method, payload);
      assert.ok(answer.statusCode < 300, answer.body);
      assert.match(String(answer.headers['set-cookie']), CLEARED, way);
      assert.equal(await outcomeOf(withCookie(user.cookie)), '401 unauthenticated', way);
    }
  });

  test('keeps its cookie when other sessions end, or a request has another credential', async () => {
    const user = await owner();
    const other = await owner();
    const second = await signIn(user);
    const bearer = { authorization: `Bearer ${(await signIn(user)).token}` };
    for (const [method, url, payload, headers] of [
      ['DELETE', `/v1/auth/sessions/${await idOf(second.token)}`, undefined, {}],
      ['POST', '/v1/auth/password', { currentPassword: PASSWORD, newPassword: `another, ${PASSWORD}` }, {}],
      ['DELETE', `/v1/company/members/${other.userId}`, undefined, {}],
    ] as const) {
      const answer = await ask(url, { ...withCookie(user.cookie), ...headers }, method, payload);
      assert.ok(answer.statusCode < 300, answer.body);
      assert.equal(answer.headers['set-cookie'], undefined, url);
    }
    for (const ended of [second, other]) {
      assert.equal(await outcomeOf(withCookie(ended.cookie)), '401 unauthenticated');
    }
    assert.equal(await outcomeOf(bearer), '401 unauthenticated', 'by the change of the password');
    const fresh = { authorization: `Bearer ${await service.signIn(company.companyId, user.userId)}` };
    const answer = await ask('/v1/auth/logout', { ...withCookie(user.cookie), ...fresh }, 'POST', {});
    assert.equal(answer.statusCode, 204);
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.equal(await outcomeOf(withCookie(user.cookie)), '200');
  });

  test('expires, and ends with the account, like any session', async () => {
    const user = await consoleUser();
    const age = (column: string, days: number) =>
      database.query(
        `update identity.session set ${column} = now() - make_interval(days => $2) where token_hash = $1`,
        [hashToken(user.token), days],
      );
    await age('last_seen_at', 6);
    assert.equal(await outcomeOf(withCookie(user.cookie)), '200');
    await age('created_at', 29);
    assert.equal(await outcomeOf(withCookie(user.cookie)), '200', 'each use extends the idle limit');
    await age('created_at', 31);
    const answer = await ask(SESSION, withCookie(user.cookie));
    assert.equal(outcome(answer), '401 session_expired');
    assert.equal(answer.headers['set-cookie'], undefined);

    const removed = await consoleUser();
    await company.api.removeCompanyMember(removed.userId);
    assert.equal(await outcomeOf(withCookie(removed.cookie)), '401 unauthenticated');
  });

  test('is marked as current in the list of sessions, and counts in the limit of its session', async (t) => {
    const limited = await openWith(t, { rateLimits: true, rateLimitPerMinute: 2 });
    const user = await consoleUser();
    const list = () => limited.inject({ url: '/v1/auth/sessions', headers: withCookie(user.cookie) });
    const current = (await list()).json<{ items: { id: string; current: boolean }[] }>().items;
    assert.deepEqual(
      current.filter((session) => session.current).map(({ id }) => id),
      [await idOf(user.token)],
    );
    assert.equal((await list()).statusCode, 200);
    assert.equal(outcome(await list()), '429 rate_limited');
  });
});
