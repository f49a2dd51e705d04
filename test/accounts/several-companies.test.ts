import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dependencies } from '../../core/dependencies.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { givePassword, newEmail, PASSWORD } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();
const { app, database } = service;

type Service = Pick<typeof service, 'app' | 'database' | 'passwords' | 'signIn'>;

/** An account of the Company with this email and password. @returns its id */
async function addTwin(
  { companyId, teamId, ownerId, ownerEmail }: SignedIn,
  email: string,
  password: string | null,
  own: Service = service,
): Promise<string> {
  const company = { companyId, teamId, ownerId, ownerEmail };
  const { userId } = await addPerson(own, company, { teamRole: 'member' });
  await own.database.query('update identity.account set email = $2 where id = $1', [userId, email]);
  if (password !== null) await givePassword(own, userId, password);
  return userId;
}

const anyone = callerOf(app, {});
interface Required {
  code: string;
  companies: { id: string; name: string }[];
}

describe('POST /v1/auth/login with an email of several Companies', () => {
  test('signs in to the account that the password matches', async () => {
    const email = newEmail();
    const companies = [await service.company(), await service.company()];
    for (const [place, company] of companies.entries()) await addTwin(company, email, `${PASSWORD} ${place}`);
    for (const [place, { companyId }] of companies.entries()) {
      const { company } = await anyone.api.login({ email, password: `${PASSWORD} ${place}` });
      assert.equal(company.id, companyId);
    }
    assert.equal(outcome(await anyone.ask.login({ email, password: PASSWORD })), '401 invalid_credentials');
  });

  test('returns 409 company_required with the Companies that the password matches, and starts no session', async () => {
    const email = newEmail();
    const [first, second, third] = [
      await service.company(),
      await service.company(),
      await service.company(),
    ];
    await addTwin(first, email, PASSWORD);
    await addTwin(second, email, PASSWORD);
    await addTwin(third, email, 'the password of the third');
    for (const [company, name] of [
      [first, 'Herons'],
      [second, 'Egrets'],
    ] as const)
      await database.query('update identity.company set name = $2 where id = $1', [company.companyId, name]);
    await recordsNothing(service, first, async () => {
      const answer = await anyone.ask.login({ email, password: PASSWORD });
      assert.equal(outcome(answer), '409 company_required');
      const { companies } = answer.json<Required>();
      assert.deepEqual(
        companies.toSorted((a, b) => b.name.localeCompare(a.name)),
        [
          { id: first.companyId, name: 'Herons' },
          { id: second.companyId, name: 'Egrets' },
        ],
      );
    });
    for (const { companyId } of [first, second]) {
      const { company } = await anyone.api.login({ email, password: PASSWORD, companyId });
      assert.equal(company.id, companyId);
    }
  });

  test('returns the same 401 for a Company without the account, an unknown one and a text that is no id', async () => {
    const email = newEmail();
    const [company, other] = [await service.company(), await service.company()];
    await addTwin(company, email, PASSWORD);
    await addTwin(other, email, 'another password');
    for (const companyId of [
      other.companyId,
      (await service.company()).companyId,
      newId(),
      'nonsense',
      `${company.companyId} `,
    ]) {
      const answer = await anyone.ask.login({ email, password: PASSWORD, companyId });
      assert.equal(outcome(answer), '401 invalid_credentials', companyId);
    }
  });

  test('checks at most four accounts, those last used first', async () => {
    const email = newEmail();
    const companies = await Array.fromAsync({ length: 6 }, () => service.company());
    const users = [];
    for (const company of companies) users.push(await addTwin(company, email, PASSWORD));
    // The session that came with each account counts as a use too.
    await database.query('delete from identity.session where user_id = any ($1::uuid[])', [users]);
    for (const [place, userId] of users.entries())
      await database.query(
        `update identity.account set signed_in_at = now() - make_interval(days => $2) where id = $1`,
        [userId, place],
      );
    const asked = async () => {
      const { companies: matched } = (await anyone.ask.login({ email, password: PASSWORD })).json<Required>();
      return columns(matched, 'id').flat();
    };
    const ids = columns(companies, 'companyId').flat();
    assert.deepEqual(await asked(), ids.slice(0, 4));
    // One that was used last with its session, although it signed in first.
    const last = companies.at(-1)!;
    await service.signIn(last.companyId, users.at(-1)!);
    assert.deepEqual(await asked(), [last.companyId, ...ids.slice(0, 3)]);
    await anyone.api.login({ email, password: PASSWORD, companyId: companies[4]!.companyId });
    assert.equal((await asked())[0], companies[4]!.companyId, 'a sign-in is a use');
  });

  test('counts failed passwords for the email, whichever Company is named', async () => {
    const email = newEmail();
    const [company, other] = [await service.company(), await service.company()];
    await addTwin(company, email, PASSWORD);
    await addTwin(other, email, PASSWORD);
    const named = [undefined, company.companyId, other.companyId, 'nonsense'];
    for (let failed = 0; failed < 10; failed += 1) {
      const companyId = named[failed % named.length];
      const answer = await anyone.ask.login({ email, password: 'not that', companyId });
      assert.equal(outcome(answer), '401 invalid_credentials');
    }
    for (const companyId of named) {
      const answer = await anyone.ask.login({ email, password: PASSWORD, companyId });
      assert.equal(outcome(answer), '429 rate_limited');
    }
  });

  test('a changed password is checked against the account of the caller', async () => {
    const email = newEmail();
    const [company, other] = [await service.company(), await service.company()];
    await addTwin(company, email, PASSWORD);
    const stranger = await addTwin(other, email, 'the password of the other');
    const { token } = (await anyone.api.login({ email, password: PASSWORD })) as Session;
    const person = callerOf(app, { authorization: `Bearer ${token}` });
    const change = (currentPassword: string) =>
      person.ask.changePassword({ currentPassword, newPassword: 'a new password of mine' });
    assert.equal(outcome(await change('the password of the other')), '401 invalid_credentials');
    const rename = (password: string) => person.ask.changeAccount({ email: newEmail(), password });
    assert.equal(outcome(await rename('the password of the other')), '401 invalid_credentials');
    assert.equal(outcome(await change(PASSWORD)), '204');
    const signedIn = await anyone.api.login({ email, password: 'the password of the other' });
    assert.equal(signedIn.user.id, stranger);
  });
});

/** The app with a hasher that notes each hash that a password is checked against. */
async function openCounting(t: { after: (fn: () => unknown) => void }, own: Dependencies) {
  let checked: (string | null)[] = [];
  const passwords = {
    ...own.passwords,
    verify: (hashes: readonly (string | null)[], password: string) => {
      checked.push(...hashes);
      return own.passwords.verify(hashes, password);
    },
  };
  const counting = await buildTestedApp({ ...own, passwords });
  t.after(() => counting.close());
  return async (body: { email: string; password: string; companyId?: string }) => {
    checked = [];
    const answer = await callerOf(counting, {}).ask.login(body);
    return [outcome(answer), checked.length] as const;
  };
}

describe('the number of hashes of a sign-in', () => {
  test('is that of the Companies, at most four, for no account, one and several', async (t) => {
    const own = await openOwnTestApp();
    const login = await openCounting(t, own);
    const companies: SignedIn[] = [];
    const email = { none: newEmail(), one: newEmail(), two: newEmail(), unset: newEmail() };
    // The first Company is that of the server principal.
    for (const hashes of [2, 3, 4, 4]) {
      const company = await own.company();
      companies.push(company);
      if (companies.length === 1) {
        await addTwin(company, email.one, PASSWORD, own);
        await addTwin(company, email.unset, null, own);
      }
      if (companies.length <= 2) await addTwin(company, email.two, PASSWORD, own);
      const isTwice = companies.length > 1;
      for (const [to, password, expected] of [
        [email.none, PASSWORD, '401 invalid_credentials'],
        [email.unset, PASSWORD, '401 invalid_credentials'],
        [email.one, 'not that', '401 invalid_credentials'],
        [email.one, PASSWORD, '200'],
        [email.two, 'not that', '401 invalid_credentials'],
        [email.two, PASSWORD, isTwice ? '409 company_required' : '200'],
      ] as const) {
        assert.deepEqual(await login({ email: to, password }), [expected, hashes], `${to} of ${hashes}`);
      }
    }
  });

  test('is one with a Company, whether or not the account exists', async (t) => {
    const login = await openCounting(t, service);
    const email = newEmail();
    const company = await service.company();
    await addTwin(company, email, PASSWORD);
    const { companyId } = company;
    for (const [body, expected] of [
      [{ email, password: PASSWORD, companyId }, '200'],
      [{ email, password: 'not that', companyId }, '401 invalid_credentials'],
      [{ email: newEmail(), password: PASSWORD, companyId }, '401 invalid_credentials'],
      [{ email, password: PASSWORD, companyId: newId() }, '401 invalid_credentials'],
      [{ email, password: PASSWORD, companyId: 'nonsense' }, '401 invalid_credentials'],
    ] as const)
      assert.deepEqual(await login(body), [expected, 1]);
  });

  test('is the same past the limit of failed passwords: none', async (t) => {
    const login = await openCounting(t, service);
    const company = await service.company();
    const email = newEmail();
    await addTwin(company, email, PASSWORD);
    for (const to of [email, newEmail()]) {
      for (let failed = 0; failed < 10; failed += 1) await login({ email: to, password: 'not that' });
      assert.deepEqual(await login({ email: to, password: PASSWORD }), ['429 rate_limited', 0]);
    }
  });
});

describe('GET /v1/auth/options', () => {
  test('returns whether there are several Companies, to everyone', async () => {
    const own = await openOwnTestApp();
    const options = () => callerOf(own.app, {}).api.getSignInOptions();
    assert.deepEqual(await options(), { mail: false, severalCompanies: false });
    await own.company();
    assert.deepEqual(await options(), { mail: false, severalCompanies: true });
    const signedIn = callerOf(own.app, { authorization: 'Bearer nonsense' });
    assert.deepEqual(await signedIn.api.getSignInOptions(), { mail: false, severalCompanies: true });
  });
});
