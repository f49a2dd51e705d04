import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../api/types.ts';
import { samplesOf } from '../status/metrics.ts';
import { openTestApp } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { databaseError, failingDatabase } from '../support/failing-database.ts';
import { givePassword } from '../support/invites.ts';
import { assertLimited, freshAddress, freshIPv4, toldLimit } from '../support/limits.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { warningsOf } from '../support/warnings.ts';

/** Requests without a valid token from one address in a minute. */
const GUESSES = 30;
/** API calls of one session in a minute, here, and of its account. */
const CALLS = 5;
const MINUTE = 60;
const METRICS_TOKEN = 'the-token-of-the-metrics';
const PASSWORD = 'a password of this test';

const service = await openTestApp({
  MEMORY_RATE_LIMITS: 'on',
  MEMORY_RATE_LIMIT_PER_MINUTE: String(CALLS),
  MEMORY_METRICS_TOKEN: METRICS_TOKEN,
});
const { app, database } = service;

function ask(remoteAddress: string, token: string, url = '/v1/auth/session', to: App = app) {
  return to.inject({ url, remoteAddress, headers: { authorization: `Bearer ${token}` } });
}

function login(remoteAddress: string, email: string, password: string, to: App = app) {
  return to.inject({ method: 'POST', url: '/v1/auth/login', remoteAddress, payload: { email, password } });
}

/** Sends as many wrong tokens as an address has for its minute, to several routes. */
async function guess(address: string, times = GUESSES, to: App = app): Promise<void> {
  const urls = ['/v1/auth/session', '/metrics', '/v1/memory/status', '/v1/company'];
  for (let sent = 0; sent < times; sent += 1) {
    const answer = await ask(address, `wrong-${sent}`, urls[sent % urls.length], to);
    assert.equal(outcome(answer), '401 unauthenticated', `${sent + 1} of ${times}`);
  }
}

describe('requests without a valid token', () => {
  test('invalid tokens return 429 instead of 401 after thirty a minute from one address', async () => {
    const address = freshAddress();
    await guess(address);
    for (const url of ['/v1/auth/session', '/metrics', '/v1/memory/status']) {
      assertLimited(await ask(address, 'wrong', url), GUESSES, MINUTE);
    }
    assertLimited(await app.inject({ url: '/v1/auth/session', remoteAddress: address }), GUESSES, MINUTE);
    assert.equal(
      outcome(await ask(address, 'wrong', '/v1/none')),
      '404 not_found',
      'comes before 401 and 429',
    );
    assert.equal(outcome(await ask(freshAddress(), 'wrong')), '401 unauthenticated');
  });

  test('invalid tokens do not block valid credentials from the same address', async () => {
    const address = freshAddress();
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    await guess(address);
    assertLimited(await ask(address, 'wrong'), GUESSES, MINUTE);
    assert.equal((await ask(address, company.token)).statusCode, 200);
    assert.equal((await ask(address, METRICS_TOKEN, '/metrics')).statusCode, 200);
    const signedIn = await login(address, company.ownerEmail, PASSWORD);
    assert.equal(signedIn.statusCode, 200, signedIn.body);
    assert.equal(toldLimit(signedIn).remaining, 29, 'the limit of sign-ins is another one');
  });

  test('invalid tokens count across all API processes', async (t) => {
    const { app: second } = await openSecondApp(t, service);
    const address = freshAddress();
    await guess(address, GUESSES / 2);
    await guess(address, GUESSES / 2, second);
    for (const to of [app, second]) {
      assertLimited(await ask(address, 'wrong', '/v1/auth/session', to), GUESSES, MINUTE);
    }
  });

  test('invalid tokens return 401 if they cannot be counted or if rate limits are off', async (t) => {
    const broken = failingDatabase(database, (text) =>
      text.includes('count_requests') ? databaseError('57P01') : null,
    );
    for (const change of [{ database: broken }, { config: { ...service.config, rateLimits: false } }]) {
      const other = await buildTestedApp({ ...service, ...change });
      t.after(() => other.close());
      await guess(freshAddress(), GUESSES + 2, other);
    }
  });
});

describe('signs of guessing for the operator', () => {
  test('logs failed logins once for each address, without the email', async (t) => {
    const { logger, warnings } = warningsOf();
    const logging = await buildTestedApp({ ...service, logger });
    t.after(() => logging.close());
    const { ownerEmail } = await service.company();
    const addresses = [freshIPv4(), freshIPv4()];
    for (const address of addresses) {
      for (let tried = 0; tried < 3; tried += 1)
        await login(address, ownerEmail, 'a-wrong-password', logging);
    }
    assert.deepEqual(
      columns(warnings, 'address', 'count', 'msg'),
      addresses.map((address) => [address, 1, 'sign-ins failed']),
    );
    await logging.close();
    assert.deepEqual(
      columns(warnings.slice(2), 'address', 'count'),
      addresses.map((address) => [address, 2]),
      'the other failures are logged when the app closes',
    );
    assert.doesNotMatch(JSON.stringify(warnings), /@|a-wrong-password/);
  });

  test('logs an address with a burst of wrong tokens, but not one with a few', async (t) => {
    const { logger, warnings } = warningsOf();
    const logging = await buildTestedApp({ ...service, logger });
    t.after(() => logging.close());
    const [few, many] = [freshIPv4(), freshIPv4()];
    await guess(few, 9, logging);
    assert.deepEqual(warnings, []);
    await guess(many, GUESSES, logging);
    assertLimited(await ask(many, 'wrong-token', '/metrics', logging), GUESSES, MINUTE);
    assert.deepEqual(columns(warnings, 'address', 'count', 'msg'), [
      [many, 10, 'requests without a valid token'],
    ]);
    assert.doesNotMatch(JSON.stringify(warnings), /wrong/);
  });

  test('counts failed logins and invalid tokens in metrics without labels', async (t) => {
    const { app: counted } = await openSecondApp(t, service);
    const names = ['memory_failed_sign_ins_total', 'memory_unauthenticated_total'] as const;
    const read = async () =>
      (await samplesOf({ app: counted }, METRICS_TOKEN, ...names)).map(({ name, labels, value }) => [
        name,
        labels,
        value,
      ]);
    assert.deepEqual(
      await read(),
      names.map((name) => [name, {}, 0]),
    );
    const address = freshAddress();
    await guess(address, GUESSES, counted);
    await ask(address, 'wrong', '/v1/auth/session', counted);
    await login(address, 'nobody@example.com', 'wrong', counted);
    assert.deepEqual(await read(), [
      [names[0], {}, 1],
      [names[1], {}, GUESSES + 1],
    ]);
  });
});
