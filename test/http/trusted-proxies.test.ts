import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../api/types.ts';
import { openTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { givePassword } from '../support/invites.ts';
import { assertLimited, freshAddress, freshIPv4, freshNetwork, toldLimit } from '../support/limits.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { makeResetLink } from '../support/sign-in.ts';
import { warningsOf } from '../support/warnings.ts';

const PASSWORD = 'a password of this test';
const WRONG = 'not that password';

const service = await openTestApp({
  MEMORY_RATE_LIMITS: 'on',
  MEMORY_TRUSTED_PROXIES: '192.0.2.0/24, 2001:db8:ffff::1',
});
/** A service without trusted proxies. */
const direct = await openTestApp({ MEMORY_RATE_LIMITS: 'on' });
const company = await service.company();

/** The remaining requests of an address, from a request that costs nothing. */
async function remaining(
  { app }: Pick<TestApp, 'app'>,
  remoteAddress: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const payload = { token: 'none', newPassword: PASSWORD };
  const [method, url] = ['POST', '/v1/auth/reset'] as const;
  const answer = await app.inject({ method, url, remoteAddress, headers, payload });
  assert.equal(answer.statusCode, 404, answer.body);
  return toldLimit(answer).remaining;
}

const from = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') });

describe('a trusted proxy', () => {
  const PROXIES = ['192.0.2.7', '::ffff:192.0.2.8', '2001:db8:ffff::1'] as const;

  test('a trusted proxy gives the address of the client in X-Forwarded-For', async () => {
    const client = freshIPv4();
    for (const [index, proxy] of PROXIES.entries()) {
      assert.equal(await remaining(service, proxy, from(client)), 29 - index, proxy);
      assert.equal(await remaining(service, proxy, from(freshIPv4())), 29, proxy);
    }
    assert.equal(await remaining(service, client), 26, 'the client itself');
  });

  test('a trusted proxy is trusted only for its own entry, not for entries that the client sent', async () => {
    const client = freshIPv4();
    for (const [index, claim] of [freshIPv4(), freshAddress(), 'unknown', '127.0.0.1', ''].entries()) {
      assert.equal(await remaining(service, PROXIES[0], from(claim, client)), 29 - index, claim);
    }
    const victim = freshIPv4();
    await remaining(service, PROXIES[0], from(victim, client));
    assert.equal(await remaining(service, PROXIES[0], from(victim)), 29);
  });

  test('several trusted proxies in a chain are all skipped', async () => {
    const client = freshIPv4();
    assert.equal(await remaining(service, PROXIES[0], from(client, '192.0.2.9')), 29);
    assert.equal(await remaining(service, PROXIES[0], from(freshIPv4(), client, '192.0.2.9')), 28);
    assert.equal(await remaining(service, PROXIES[0], from(client, freshIPv4())), 29, 'not listed');
  });

  test('a trusted proxy can add the port of the client to its address', async () => {
    const client = freshIPv4();
    const written = [
      client,
      `${client}:5555`,
      `${client}:61000`,
      `::ffff:${client}`,
      `[::ffff:${client}]:443`,
    ];
    for (const [index, entry] of written.entries()) {
      assert.equal(await remaining(service, PROXIES[0], from(entry)), 29 - index, entry);
    }
    const network = freshNetwork();
    for (const [index, entry] of [`[${network}::1]:443`, `[${network}::2]`, `${network}::3`].entries()) {
      assert.equal(await remaining(service, PROXIES[0], from(entry)), 29 - index, entry);
    }
    assert.equal(await remaining(service, PROXIES[0], from(client, '192.0.2.9:8443')), 29 - written.length);
  });

  test('a trusted proxy is itself counted as the caller when its entry is not an address', async () => {
    const proxy = `192.0.2.${100 + Math.floor(Math.random() * 150)}`;
    const before = await remaining(service, proxy);
    const victim = freshIPv4();
    const told = [
      'junk17',
      'unknown',
      '1.2.3.4.5',
      '[1.2.3.4',
      '1.2.3.4:port',
      '999.1.1.1',
      `${victim}, junk`,
    ];
    for (const [index, entry] of told.entries()) {
      assert.equal(await remaining(service, proxy, from(entry)), before - 1 - index, entry);
    }
    assert.equal(await remaining(service, PROXIES[0], from(victim)), 29);
  });

  test('a trusted proxy whose entry is not an address causes one warning a minute without the entry', async (t) => {
    const { logger, warnings } = warningsOf();
    const app = await buildTestedApp({ ...service, logger });
    t.after(() => app.close());
    for (const entry of ['junk-of-a-client', 'more-junk', freshIPv4()]) {
      await app.inject({ url: '/livez', remoteAddress: PROXIES[0], headers: from(entry) });
    }
    assert.equal(warnings.length, 1);
    assert.equal(warnings[0]?.['proxy'], PROXIES[0]);
    assert.match(String(warnings[0]?.['msg']), /X-Forwarded-For/);
    assert.doesNotMatch(JSON.stringify(warnings), /junk/);
  });

  test('a trusted proxy does not determine the address of links', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v1/company/reset-links',
      remoteAddress: PROXIES[0],
      headers: {
        authorization: company.headers.authorization,
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
      },
      payload: { teamId: company.teamId, email: company.ownerEmail },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const made = new URL(answer.json<{ url: string }>().url).origin;
    assert.equal(made, new URL((await makeResetLink(service, company)).url).origin);
  });
});

describe('a caller that is not a trusted proxy', () => {
  /** A Company of a service whose Owner has a password. */
  async function withPassword(at: typeof service): Promise<SignedIn> {
    const made = await at.company();
    await givePassword(at, made.ownerId, PASSWORD);
    return made;
  }
  const login = (to: App, email: string, password: string, address: string, claim?: string) =>
    to.inject({
      method: 'POST',
      url: '/v1/auth/login',
      remoteAddress: address,
      headers: claim === undefined ? {} : from(claim),
      payload: { email, password },
    });

  test('an untrusted caller cannot change its own address with any header', async () => {
    for (const [asked, address] of [
      [service, freshIPv4()],
      [direct, freshIPv4()],
    ] as const) {
      for (const [index, headers] of [
        from(freshIPv4()),
        from(freshIPv4(), '192.0.2.7'),
        { forwarded: `for=${freshIPv4()}` },
        { 'x-real-ip': freshIPv4() },
        { 'true-client-ip': freshIPv4(), 'cf-connecting-ip': freshIPv4(), 'x-client-ip': freshIPv4() },
      ].entries()) {
        assert.equal(await remaining(asked, address, headers), 29 - index, JSON.stringify(headers));
      }
    }
  });

  test('an untrusted caller gets 429 after ten wrong passwords, whatever addresses it claims', async () => {
    for (const tried of [service, direct]) {
      const { ownerEmail } = await withPassword(tried);
      const address = freshIPv4();
      for (let failed = 0; failed < 10; failed += 1) {
        const answer = await login(tried.app, ownerEmail, WRONG, address, freshIPv4());
        assert.equal(answer.statusCode, 401, answer.body);
      }
      assertLimited(await login(tried.app, ownerEmail, PASSWORD, address, freshIPv4()), 10, 15 * 60);
    }
  });

  test('an untrusted caller cannot use up the password attempts of another address', async () => {
    const { ownerEmail } = await withPassword(service);
    const [address, victim] = [freshIPv4(), freshIPv4()];
    for (let failed = 0; failed < 10; failed += 1) {
      await login(service.app, ownerEmail, WRONG, address, victim);
    }
    assert.equal((await login(service.app, ownerEmail, PASSWORD, victim)).statusCode, 200);
    assert.equal((await login(service.app, ownerEmail, PASSWORD, '192.0.2.7', victim)).statusCode, 200);
  });
});

test('a proxy causes one warning, without an address, if none is configured', async (t) => {
  for (const [{ config }, count] of [
    [direct, 1],
    [service, 0],
  ] as const) {
    const { logger, warnings } = warningsOf();
    const app = await buildTestedApp({ ...service, config, logger });
    t.after(() => app.close());
    for (const headers of [{}, from('203.0.113.7'), from('203.0.113.8')])
      await app.inject({ url: '/livez', headers });
    assert.equal(warnings.length, count);
    for (const { msg } of warnings) assert.match(String(msg), /MEMORY_TRUSTED_PROXIES/);
    assert.doesNotMatch(JSON.stringify(warnings), /203\.0/);
  }
});
