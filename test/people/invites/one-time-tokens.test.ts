import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { App } from '../../../api/types.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import {
  accept,
  addPasswordHolder,
  countGiven,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../../support/invites.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../../support/sign-in.ts';

const service = await openTestApp();
const { database } = service;

/** A kind of one-time token: how it is made for an email, and used. */
interface Kind {
  table: 'invite' | 'reset_link';
  success: string;
  /** Whom it is for: an email, or where it is left out one that has no account. */
  make: (company: SignedIn, email?: string) => Promise<string>;
  use: (token: string, by?: { app: App }) => PromiseLike<{ statusCode: number; body: string; json<T>(): T }>;
}

const KINDS: Record<string, Kind> = {
  'an invite': {
    table: 'invite',
    success: '201',
    make: async (company, email) => (await makeInvite(service, company, email ? { email } : {})).token,
    use: (token, by = service) => join(by, { token }),
  },
  'an invitation': {
    table: 'invite',
    success: '201',
    make: async (company, email) => (await makeInvitation(company, email ? { email } : {})).token,
    use: (token, by = service) => accept(by, { token }),
  },
  'a reset link': {
    table: 'reset_link',
    success: '200',
    make: async (company, email = company.ownerEmail) =>
      (await makeResetLink(service, company, { email })).token,
    use: (token, by = service) => useLink(by, token, PASSWORD),
  },
};

/** Moves the end of a token to so many days from now. */
async function endIn(table: Kind['table'], token: string, days: number): Promise<void> {
  await database.query(
    `update identity.${table} set expires_at = now() + make_interval(days => $2) where token_hash = $1`,
    [hashToken(token), days],
  );
}

describe('50 concurrent uses of a one-time token in two API processes', () => {
  /** Sends 50 requests at once, and asserts that one succeeds and all others return 410 token_used. */
  async function race(use: (by: { app: App }, index: number) => PromiseLike<Response>, apps: { app: App }[]) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => use(apps[index % apps.length] ?? service, index)),
    );
    const refused = answers.map(outcome).filter((each) => each !== '201' && each !== '200');
    assert.deepEqual(
      refused,
      Array.from({ length: 49 }, () => '410 token_used'),
    );
    const winner = answers.findIndex(({ statusCode }) => statusCode < 300);
    return { winner, session: answers[winner]!.json<Session>() };
  }
  type Response = Awaited<ReturnType<typeof join>>;
  const inviteToCompany = (
    _: typeof service,
    company: SignedIn,
    wish?: Parameters<typeof makeInvitation>[1],
  ) => makeInvitation(company, wish);

  for (const [name, make, use, role] of [
    ['an invite', makeInvite, join, 'member'],
    ['an invitation', inviteToCompany, accept, 'admin'],
  ] as const) {
    test(`50 uses of ${name} to a new email create one account, one role and one event`, async (t) => {
      const company = await service.company();
      const before = await countGiven(service, company);
      const { token, invite } = await make(service, company);
      const { winner, session } = await race(
        (by, index) => use(by, { token, name: `Newcomer ${index}`, password: `${PASSWORD} ${index}` }),
        [service, await openSecondApp(t, service)],
      );
      assert.deepEqual(await countGiven(service, company), {
        ...before,
        accounts: 2,
        members: role === 'member' ? 2 : 1,
        sessions: 2,
        events: 1,
      });
      assert.equal(session.user.name, `Newcomer ${winner}`);
      assert.equal(session.company.role, role);
      assert.equal(
        (await askSession(service, session.token)).json<Session>().user.name,
        `Newcomer ${winner}`,
      );
      assert.equal(outcome(await signInBy(service, invite.email, `${PASSWORD} ${winner}`)), '200');
    });

    test(`50 uses of ${name} to an existing account give one role and write one event`, async (t) => {
      const company = await service.company();
      const person = await addPasswordHolder(service, company, {});
      const before = await countGiven(service, company);
      const { token } = await make(service, company, { email: person.email });
      const { session } = await race(
        (by) => use(by, { token, password: PASSWORD }),
        [service, await openSecondApp(t, service)],
      );
      assert.deepEqual(await countGiven(service, company), {
        ...before,
        members: role === 'member' ? 2 : 1,
        sessions: 3,
        events: 1,
      });
      assert.equal(session.user.id, person.userId);
      assert.equal(session.company.role, role);
    });
  }

  test('50 uses of a reset link set one password and write one event', async (t) => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    const { winner, session } = await race(
      (by, index) => useLink(by, token, `${PASSWORD} ${index}`),
      [service, await openSecondApp(t, service)],
    );
    assert.equal(outcome(await askSession(service, session.token)), '200');
    assert.equal(outcome(await signInBy(service, company.ownerEmail, `${PASSWORD} ${winner}`)), '200');
    const events = await database.query(
      `select from memory.audit_event where company_id = $1 and kind = 'auth.password_reset'`,
      [company.companyId],
    );
    assert.equal(events.length, 1);
  });
});

describe('two invites to one new email, used at the same time', () => {
  /** Uses each token in a process of its own, with a password of its own. */
  async function useBoth(
    t: TestContext,
    uses: readonly [Kind['use'], Kind['use']],
    tokens: [string, string],
  ) {
    const second = await openSecondApp(t, service);
    return Promise.all([uses[0](tokens[0]), uses[1](tokens[1], second)]);
  }

  test('of two in one Company, one creates the account, and the other asks for its password', async (t) => {
    const company = await service.company();
    const before = await countGiven(service, company);
    const email = newEmail();
    const [invited, appointed] = [KINDS['an invite']!, KINDS['an invitation']!];
    const tokens: [string, string] = [
      await invited.make(company, email),
      await appointed.make(company, email),
    ];
    const answers = await useBoth(
      t,
      [
        (token, by) => join(by ?? service, { token }),
        (token, by) => accept(by ?? service, { token, password: `${PASSWORD} of somebody else` }),
      ],
      tokens,
    );
    assert.deepEqual(answers.map(outcome).sort(), ['201', '401 invalid_credentials']);
    const isInvite = answers[0].statusCode === 201;
    assert.deepEqual(await countGiven(service, company), {
      ...before,
      accounts: 2,
      members: isInvite ? 2 : 1,
      sessions: 2,
      unused: 1,
      events: 1,
    });
  });

  test('of two in two Companies, each creates an account there', async (t) => {
    const companies = [await service.company(), await service.company()] as const;
    const email = newEmail();
    const { make, use } = KINDS['an invite']!;
    const answers = await useBoth(
      t,
      [use, use],
      [await make(companies[0], email), await make(companies[1], email)],
    );
    assert.deepEqual(answers.map(outcome), ['201', '201']);
    const found = await database.query<{ company: string }>(
      'select company_id as company from identity.account where email = $1',
      [email],
    );
    assert.deepEqual(column(found, 'company').sort(), companies.map(({ companyId }) => companyId).sort());
  });
});

describe('the error code of a token', () => {
  for (const [name, { table, success, make, use }] of Object.entries(KINDS)) {
    test(`${name} that was used stays used after its expiry`, async () => {
      const token = await make(await service.company());
      assert.equal(outcome(await use(token)), success);
      assert.equal(outcome(await use(token)), '410 token_used');
      await endIn(table, token, -1);
      assert.equal(outcome(await use(token)), '410 token_used');
    });

    test(`${name} that was replaced is revoked, and stays revoked after its expiry`, async () => {
      const company = await service.company();
      const email = name === 'a reset link' ? company.ownerEmail : newEmail();
      const [first, second] = [await make(company, email), await make(company, email)];
      assert.notEqual(first, second);
      assert.equal(outcome(await use(first)), '410 token_revoked');
      await database.query(
        `update identity.${table} set revoked_at = now() - interval '2 days', expires_at = now() - interval '1 day'
          where token_hash = $1`,
        [hashToken(first)],
      );
      assert.equal(outcome(await use(first)), '410 token_revoked');
      assert.equal(outcome(await use(second)), success);
    });

    test(`${name} that expired stays expired if it is replaced later`, async () => {
      const company = await service.company();
      const email = name === 'a reset link' ? company.ownerEmail : newEmail();
      const first = await make(company, email);
      await endIn(table, first, -1);
      assert.equal(outcome(await use(first)), '410 token_expired');
      const second = await make(company, email);
      assert.equal(outcome(await use(first)), '410 token_expired');
      assert.equal(outcome(await use(second)), success);
      assert.equal(outcome(await use(first)), '410 token_expired');
    });

    test(`${name} is valid until its expiry time and not longer`, async () => {
      const company = await service.company();
      const token = await make(company);
      await database.query(`update identity.${table} set expires_at = now() where token_hash = $1`, [
        hashToken(token),
      ]);
      assert.equal(outcome(await use(token)), '410 token_expired');
      await endIn(table, token, 1);
      assert.equal(outcome(await use(token)), success);
    });
  }
});
