import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../api/types.ts';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { openFailingApp } from '../support/failing-database.ts';
import {
  addPasswordHolder,
  givePassword,
  makeInvitation,
  makeInvite,
  newEmail,
  type PasswordHolder,
} from '../support/invites.ts';
import {
  ageFailures,
  assertLimited,
  freshAddress,
  freshIPv4,
  freshNetwork,
  type Origin,
} from '../support/limits.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { withoutRequestId } from '../support/team.ts';

/** How many passwords may fail, and for how long each counts. */
const FAILURES = 10;
const MINUTES_15 = 15 * 60;
const PASSWORD = 'a password of this test';
const WRONG = 'not that password';

// Limits of requests are off, as in most tests: failed passwords are limited all the same.
const service = await openTestApp();
const { app, database } = service;

/** A Company whose Owner has a password. */
async function withPassword(): Promise<SignedIn> {
  const company = await service.company();
  await givePassword(service, company.ownerId, PASSWORD);
  return company;
}

function login({ email, address }: Origin, password: string, to: App = app) {
  return to.inject({
    method: 'POST',
    url: '/v1/auth/login',
    remoteAddress: address,
    payload: { email, password },
  });
}

/** Fails so many times to sign in. */
async function fail(origin: Origin, times: number, to: App = app): Promise<void> {
  for (let failed = 1; failed <= times; failed += 1) {
    const answer = await login(origin, WRONG, to);
    assert.equal(outcome(answer), '401 invalid_credentials', `failure ${failed}`);
  }
}

async function assertRefused(origin: Origin, password: string, to: App = app): Promise<void> {
  assertLimited(await login(origin, password, to), FAILURES, MINUTES_15);
}

/** How often each outcome came up. */
function tally(answers: readonly Parameters<typeof outcome>[0][]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1;
  return counts;
}

describe('a login after ten failures', () => {
  test('the right password is rejected like a wrong one after ten failures, and creates no session', async () => {
    const { ownerEmail: email, ownerId } = await withPassword();
    const origin = { email, address: freshAddress() };
    await fail(origin, FAILURES);
    await assertRefused(origin, PASSWORD);
    await assertRefused(origin, WRONG);
    const sessions = await database.query('select from identity.session where user_id = $1', [ownerId]);
    assert.equal(sessions.length, 1, 'only that of the test');
  });

  test('an email without an account gets the same 429 after ten failures', async () => {
    const { ownerEmail } = await withPassword();
    const address = freshAddress();
    const shapes = await Promise.all(
      [ownerEmail, newEmail(), 'no email at all'].map(async (email) => {
        await fail({ email, address }, FAILURES);
        const answer = await login({ email, address }, PASSWORD);
        assertLimited(answer, FAILURES, MINUTES_15);
        const { 'content-length': length, ...headers } = answer.headers;
        return [withoutRequestId(answer.body), length, Object.keys(headers).sort().join()].join('\n');
      }),
    );
    assert.equal(new Set(shapes).size, 1, shapes.join('\n\n'));
  });

  test('a login still succeeds from another address, and for another account from the same address', async () => {
    const { ownerEmail: email } = await withPassword();
    const address = freshAddress();
    await fail({ email, address }, FAILURES);
    assert.equal((await login({ email, address: freshAddress() }, PASSWORD)).statusCode, 200);
    const { ownerEmail: other } = await withPassword();
    assert.equal((await login({ email: other, address }, PASSWORD)).statusCode, 200);
    await assertRefused({ email, address }, PASSWORD);
  });

  test('another spelling of the email or the address does not avoid the limit', async () => {
    const { ownerEmail: email } = await withPassword();
    const network = freshNetwork();
    const address = `${network}::1`;
    await fail({ email, address }, FAILURES);
    await assertRefused({ email: `  ${email.toUpperCase()} `, address }, PASSWORD);
    await assertRefused({ email, address: `${network}:1:2:3:4` }, PASSWORD);
    const ipv4 = freshIPv4();
    await fail({ email, address: ipv4 }, FAILURES);
    await assertRefused({ email, address: `::ffff:${ipv4}` }, PASSWORD);
  });
});

describe('the count of failed logins', () => {
  test('each failure expires after 15 minutes', async () => {
    const { ownerEmail: email } = await withPassword();
    const origin = { email, address: freshAddress() };
    await fail(origin, FAILURES);
    await assertRefused(origin, PASSWORD);
    await ageFailures(database, origin, 2, MINUTES_15);
    await fail(origin, 2);
    await assertRefused(origin, PASSWORD);
    await ageFailures(database, origin, FAILURES, MINUTES_15);
    assert.equal((await login(origin, PASSWORD)).statusCode, 200);
    await fail(origin, FAILURES);
    await assertRefused(origin, PASSWORD);
  });

  test('a rejected attempt does not count and does not extend the limit', async () => {
    const { ownerEmail: email } = await withPassword();
    const origin = { email, address: freshAddress() };
    await fail(origin, FAILURES);
    for (let tried = 0; tried < FAILURES; tried += 1) await assertRefused(origin, WRONG);
    await ageFailures(database, origin, FAILURES, MINUTES_15);
    await fail(origin, FAILURES);
    await assertRefused(origin, PASSWORD);
  });

  test('a success does not count and does not reset the failures', async () => {
    const { ownerEmail: email } = await withPassword();
    const origin = { email, address: freshAddress() };
    for (let signedIn = 0; signedIn < FAILURES; signedIn += 1) {
      assert.equal((await login(origin, PASSWORD)).statusCode, 200);
    }
    await fail(origin, FAILURES - 1);
    assert.equal((await login(origin, PASSWORD)).statusCode, 200);
    await fail(origin, 1);
    await assertRefused(origin, PASSWORD);
  });
});

describe('guesses sent at the same time', () => {
  const AT_ONCE = 50;

  test('only ten guesses are checked, and the right password after them is rejected', async () => {
    const { ownerEmail: email } = await withPassword();
    for (const known of [email, newEmail()]) {
      const origin = { email: known, address: freshAddress() };
      // Passwords are checked in turn, so the last one sent is checked when the ten have failed.
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          login(origin, index === AT_ONCE - 1 ? PASSWORD : WRONG),
        ),
      );
      assert.deepEqual(tally(answers), {
        '401 invalid_credentials': FAILURES,
        '429 rate_limited': AT_ONCE - FAILURES,
      });
      assertLimited(answers.at(-1)!, FAILURES, MINUTES_15);
      await ageFailures(database, origin, FAILURES, MINUTES_15);
      await fail(origin, 1);
    }
  });

  test('only ten guesses are checked across all API processes', async (t) => {
    const { app: second } = await openSecondApp(t, service);
    const origin = { email: newEmail(), address: freshAddress() };
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => login(origin, WRONG, index % 2 === 0 ? app : second)),
    );
    assert.deepEqual(tally(answers), {
      '401 invalid_credentials': FAILURES,
      '429 rate_limited': AT_ONCE - FAILURES,
    });
  });
});

describe('routes that check the current password', () => {
  /** One way to try the password of someone. */
  type Try = (password: string) => ReturnType<typeof login>;

  /** The ways to try the password of a member of the Company, from one address. */
  async function waysOf(company: SignedIn, person: PasswordHolder, address: string) {
    const { email } = person;
    // The owner invites to Admin, and to a role in the Team that the person does not have yet.
    const invite = await makeInvite(service, company, { email, role: 'admin' });
    const invitation = await makeInvitation(company, { email });
    const send = (url: string, payload: object, headers: Record<string, string> = {}) =>
      app.inject({ method: 'POST', url, remoteAddress: address, headers, payload });
    const { authorization } = person.headers;
    const ways: Record<string, Try> = {
      login: (password) => login({ email, address }, password),
      'change of password': (currentPassword) =>
        send('/v1/auth/password', { currentPassword, newPassword: PASSWORD }, { authorization }),
      join: (password) => send('/v1/auth/join', { token: invite.token, name: 'Someone', password }),
      accept: (password) =>
        send('/v1/company/invitations/accept', { token: invitation.token, name: 'Someone', password }),
    };
    return ways;
  }

  test('failures on all of these routes count together', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {}, PASSWORD);
    const address = freshAddress();
    const ways = await waysOf(company, person, address);
    const tries = Object.entries(ways);
    for (let failed = 0; failed < FAILURES; failed += 1) {
      const [name, attempt] = tries[failed % tries.length]!;
      assert.equal(outcome(await attempt(WRONG)), '401 invalid_credentials', name);
    }
    for (const [, attempt] of tries) assertLimited(await attempt(PASSWORD), FAILURES, MINUTES_15);
    await ageFailures(database, { email: person.email, address }, FAILURES, MINUTES_15);
    for (const [name, attempt] of tries) {
      assert.ok((await attempt(PASSWORD)).statusCode < 300, `${name}: neither token nor session was used up`);
    }
  });
});

test('every kind of failed login returns the same 401, by the same SQL statements in the same order', async (t) => {
  const company = await withPassword();
  const [closed, unset] = [newEmail(), newEmail()];
  for (const email of [closed, unset]) {
    await database.query(
      `insert into identity.account (company_id, id, email, name, role, password_hash, closed_at)
       select company_id, $2, $3, 'Someone', 'member', case when $4 then password_hash end,
              case when $4 then now() end
         from identity.account where id = $1`,
      [company.ownerId, newId(), email, email === closed],
    );
  }
  const twice = newEmail();
  for (const home of [await withPassword(), await withPassword()]) {
    await database.query('update identity.account set email = $2 where id = $1', [home.ownerId, twice]);
  }
  let statements: string[] = [];
  const watched = await openFailingApp(t, service, (statement) => {
    statements.push(statement);
    return null;
  });
  const run: Record<string, string[]> = {};
  const shapes = new Set<string>();
  for (const [name, email, password] of [
    ['unknown', newEmail(), PASSWORD],
    ['no email', 'no email at all', PASSWORD],
    ['wrong password', company.ownerEmail, WRONG],
    ['closed account', closed, PASSWORD],
    ['no password set', unset, PASSWORD],
    ['accounts in two Companies', twice, WRONG],
  ] as const) {
    statements = [];
    const answer = await login({ email, address: freshAddress() }, password, watched);
    assert.equal(outcome(answer), '401 invalid_credentials', name);
    shapes.add(`${withoutRequestId(answer.body)} ${Object.keys(answer.headers).sort().join()}`);
    run[name] = statements;
  }
  assert.equal(shapes.size, 1, [...shapes].join('\n'));
  const expected = run['wrong password'] ?? [];
  assert.ok(expected.length >= 3, expected.join('\n'));
  for (const [name, ran] of Object.entries(run)) assert.deepEqual(ran, expected, name);
});
