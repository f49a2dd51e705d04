import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../api/types.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { givePassword } from '../support/invites.ts';
import {
  assertLimited,
  failureKey,
  freshAddress,
  freshIPv4,
  freshNetwork,
  passSeconds,
  requestKey,
  toldLimit,
} from '../support/limits.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { inTeam } from '../support/team.ts';

/** API calls of one session in a minute. The default is too high for a test. */
const CALLS = 5;
/** Sign-ins and uses of links by one address in a minute. */
const SIGN_INS = 30;
const MINUTE = 60;
const PASSWORD = 'a password of this test';

const service = await openTestApp({
  MEMORY_RATE_LIMITS: 'on',
  MEMORY_RATE_LIMIT_PER_MINUTE: String(CALLS),
});
const { app, database } = service;

function session(to: App, token: string) {
  return to.inject({ url: '/v1/auth/session', headers: { authorization: `Bearer ${token}` } });
}

/** The routes without authentication. Only a login with a password costs a hash. */
const OPEN_ROUTES = {
  '/v1/auth/login': { email: 'nobody@example.com', password: '' },
  '/v1/auth/join': { token: 'none', name: 'Someone', password: PASSWORD },
  '/v1/auth/reset': { token: 'none', newPassword: PASSWORD },
  '/v1/auth/link': { token: 'none' },
  '/v1/company/invitations/accept': { token: 'none', name: 'Someone', password: PASSWORD },
} as const;
const OPEN = Object.keys(OPEN_ROUTES) as (keyof typeof OPEN_ROUTES)[];

function askFrom(remoteAddress: string, url: keyof typeof OPEN_ROUTES = '/v1/auth/reset', to: App = app) {
  return to.inject({ method: 'POST', url, remoteAddress, payload: OPEN_ROUTES[url] });
}

/** Uses up the limit of an address for its minute, over all open routes. */
async function useUp(address: string): Promise<void> {
  for (let asked = 0; asked < SIGN_INS; asked += 1) {
    const answer = await askFrom(address, OPEN[asked % OPEN.length]);
    assert.notEqual(answer.statusCode, 429, `${asked + 1} of ${SIGN_INS}`);
  }
}

function login(remoteAddress: string, email: string, password: string) {
  return app.inject({
    method: 'POST',
    url: '/v1/auth/login',
    remoteAddress,
    payload: { email, password },
  });
}

describe('the rate limit of a session', () => {
  test('sends RateLimit headers with every answer to a session, also with refusals', async () => {
    const company = await service.company();
    const asked = [
      () => company.ask.getSession(),
      () => company.ask.listImports({ limit: 'x' }),
      () => inTeam(company, 'no Team').ask.getStatus(),
      () => company.ask.searchMemory('no JSON'),
      () => company.send('GET', '/v1/memory/imports/none'),
    ];
    const statuses: number[] = [];
    for (const [index, ask] of asked.entries()) {
      const answer = await ask();
      statuses.push(answer.statusCode);
      const { limit, remaining, reset } = toldLimit(answer);
      assert.deepEqual([limit, remaining], [CALLS, CALLS - 1 - index]);
      assert.ok(reset > 0 && reset <= MINUTE, `${reset} s`);
      assert.equal(answer.headers['retry-after'], undefined);
    }
    assert.deepEqual(statuses, [200, 400, 403, 400, 404]);
  });

  test('performs no action for a request that gets 429', async () => {
    const company = await service.company();
    for (let asked = 0; asked < CALLS; asked += 1) await session(app, company.token);
    const refused = await company.ask.ingestSource({ title: 'Too late', text: 'A text' });
    assertLimited(refused, CALLS, MINUTE);
    assert.equal((await company.ask.logout({})).statusCode, 429);
    const [left] = await database.query<{ sources: number; sessions: number }>(
      `select (select count(*)::int from memory.source where team_id = $1) as sources,
              (select count(*)::int from identity.session where user_id = $2) as sessions`,
      [company.teamId, company.ownerId],
    );
    assert.deepEqual(left, { sources: 0, sessions: 1 });
  });

  test('counts each agent token separately from its owner and from other tokens', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const other = await createAgent(service, company, company);
    for (let asked = 0; asked < CALLS; asked += 1) {
      assert.equal((await session(app, agent.token)).statusCode, 200);
    }
    assertLimited(await session(app, agent.token), CALLS, MINUTE);
    assert.equal(toldLimit(await session(app, other.token)).remaining, CALLS - 1);
    assert.equal(toldLimit(await session(app, company.token)).remaining, CALLS - 3);
  });

  test('counts agent tokens and sessions of one account together, five times as many', async () => {
    const company = await service.company();
    const { token } = await createAgent(service, company, company);
    await database.query('update identity.request_count set requests = $2 where key = $1', [
      requestKey({ account: company.ownerId }),
      5 * CALLS,
    ]);
    assertLimited(await session(app, token), 5 * CALLS, MINUTE);
  });

  test('counts requests with the service token as one session', async () => {
    // All tests share this token, so earlier requests must not count.
    await session(app, API_TOKEN);
    await passSeconds(database, requestKey({ session: 'of the service token' }), MINUTE);
    for (let asked = 0; asked < CALLS; asked += 1) {
      assert.equal((await session(app, API_TOKEN)).statusCode, 200);
    }
    assertLimited(await session(app, API_TOKEN), CALLS, MINUTE);
  });

  test('a session has its full limit again when a new minute begins', async () => {
    const { companyId, ownerId, token } = await service.company();
    for (let asked = 0; asked <= CALLS; asked += 1) await session(app, token);
    assert.equal((await session(app, token)).statusCode, 429);
    const [made] = await database.query<{ id: string }>(
      'select id from identity.session where company_id = $1 and user_id = $2',
      [companyId, ownerId],
    );
    await passSeconds(database, requestKey({ session: made!.id }), MINUTE);
    const { remaining, reset } = toldLimit(await session(app, token));
    assert.equal(remaining, CALLS - 1);
    assert.ok(reset > MINUTE - 5, `a whole minute: ${reset} s`);
  });

  test('counts the requests of a session to several API processes together', async (t) => {
    const { app: second } = await openSecondApp(t, service);
    const { token } = await service.company();
    const asked = Array.from({ length: 4 * CALLS }, (_, index) =>
      session(index % 2 === 0 ? app : second, token),
    );
    const answers = await Promise.all(asked);
    const answered = answers.filter(({ statusCode }) => statusCode === 200);
    assert.equal(answered.length, CALLS);
    const left = answered.map((answer) => toldLimit(answer).remaining).sort();
    assert.deepEqual(left, [0, 1, 2, 3, 4], 'each is told another number');
    for (const answer of answers) if (!answered.includes(answer)) assertLimited(answer, CALLS, MINUTE);
  });
});

describe('the rate limit of sign-ins and links for an address', () => {
  test('counts login, join, accept and reset of an address together, and returns 429 past the limit', async () => {
    const address = freshAddress();
    for (let asked = 0; asked < SIGN_INS; asked += 1) {
      const answer = await askFrom(address, OPEN[asked % OPEN.length]);
      assert.ok([400, 404].includes(answer.statusCode), answer.body);
      const { limit, remaining } = toldLimit(answer);
      assert.deepEqual([limit, remaining], [SIGN_INS, SIGN_INS - 1 - asked]);
    }
    for (const url of OPEN) assertLimited(await askFrom(address, url), SIGN_INS, MINUTE);
    assert.equal((await askFrom(freshAddress())).statusCode, 404, 'another address has its own');
  });

  test('creates no session and checks no password for a sign-in that gets 429', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const address = freshAddress();
    await useUp(address);
    assertLimited(await login(address, company.ownerEmail, PASSWORD), SIGN_INS, MINUTE);
    assertLimited(await login(address, company.ownerEmail, 'a wrong one'), SIGN_INS, MINUTE);
    const [left] = await database.query<{ sessions: number; failures: number }>(
      `select (select count(*)::int from identity.session where user_id = $1) as sessions,
              (select count(*)::int from identity.failed_password where key = $2) as failures`,
      [company.ownerId, failureKey({ email: company.ownerEmail, address })],
    );
    assert.deepEqual(left, { sessions: 1, failures: 0 }, 'only the session of the test');
    assert.equal((await login(freshAddress(), company.ownerEmail, PASSWORD)).statusCode, 200);
  });

  test('counts a reset from an address also when it carries a valid session token', async () => {
    const address = freshAddress();
    await useUp(address);
    const { headers } = await service.company();
    const payload = OPEN_ROUTES['/v1/auth/reset'];
    const url = '/v1/auth/reset';
    assertLimited(
      await app.inject({ method: 'POST', url, remoteAddress: address, headers, payload }),
      SIGN_INS,
      MINUTE,
    );
    assert.equal(
      (await app.inject({ url: '/v1/auth/session', remoteAddress: address, headers })).statusCode,
      200,
      'a session is not held to the limit of its address',
    );
  });

  test('counts the addresses of one IPv6 network and both notations of an IPv4 address together', async () => {
    const [network, address] = [freshNetwork(), freshIPv4()];
    const neighbour = address.replace(/\d+$/, (last) => String((Number(last) + 1) % 256));
    for (const [used, same, others] of [
      [
        `${network}::1`,
        [`${network}:ffff:ffff:ffff:fffe`, `${network.toUpperCase()}:0:0:0:1`],
        `${freshNetwork()}::1`,
      ],
      [`::ffff:${address}`, [address], `::ffff:${neighbour}`],
    ] as const) {
      await useUp(used);
      for (const each of same) assert.equal((await askFrom(each)).statusCode, 429);
      assert.equal((await askFrom(others)).statusCode, 404);
    }
  });
});

test('health, the pages and the documentation have no rate limit', async () => {
  const address = freshAddress();
  await useUp(address);
  const { headers, token } = await service.company();
  for (let asked = 0; asked <= CALLS; asked += 1) await session(app, token);
  for (const url of ['/v1/health', '/livez', '/readyz', '/reset', '/docs/', '/docs/json']) {
    const answer = await app.inject({ url, headers, remoteAddress: address });
    assert.equal(answer.statusCode, 200, url);
    assert.equal(answer.headers['ratelimit-limit'], undefined, url);
  }
});

test('rate limits store addresses and emails only as hashes', async () => {
  const address = freshIPv4();
  const email = 'someone-of-this-test@example.com';
  assert.equal(outcome(await login(address, email, 'a wrong one')), '401 invalid_credentials');
  const keys = await database.query<{ key: Buffer }>(
    'select key from identity.request_count where key = $1 union all select key from identity.failed_password where key = $2',
    [requestKey({ address }), failureKey({ email, address })],
  );
  assert.equal(keys.length, 2);
  const [other] = await database.query<{ columns: string }>(
    `select string_agg(distinct data_type, ', ' order by data_type) as columns from information_schema.columns
      where table_schema = 'identity' and table_name in ('request_count', 'failed_password')
        and column_name <> 'key'`,
  );
  assert.equal(other?.columns, 'ARRAY, boolean, integer, timestamp with time zone', 'no text beside them');
});

test('MEMORY_RATE_LIMITS=off removes the limits and their headers', async () => {
  const unlimited = await openTestApp({
    MEMORY_RATE_LIMITS: 'off',
    MEMORY_RATE_LIMIT_PER_MINUTE: String(CALLS),
  });
  const { token } = await unlimited.company();
  const address = freshAddress();
  for (let asked = 0; asked <= SIGN_INS; asked += 1) {
    for (const answer of [
      await session(unlimited.app, token),
      await askFrom(address, '/v1/auth/reset', unlimited.app),
    ]) {
      assert.ok([200, 404].includes(answer.statusCode), answer.body);
      assert.equal(answer.headers['ratelimit-limit'], undefined);
    }
  }
});
