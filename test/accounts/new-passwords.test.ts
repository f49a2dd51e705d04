import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import {
  accept,
  addPasswordHolder,
  givePassword,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../support/invites.ts';
import { makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();
const { app, database } = service;

const COMMON = '1qaz2wsx3edc';
const NAME = 'Noor Haddad';
const REFUSED = '422 password_refused';

type Answer = Awaited<ReturnType<typeof useLink>>;

/** A request that sets the password of a person with this name, and the field that has it. */
interface Setting {
  email: string;
  set: (password: string) => Promise<Answer>;
  /** Whether what it uses can still be used; null if it uses nothing up. */
  isOpen: (() => Promise<boolean>) | null;
}

const opensLink = (token: string) => async () =>
  (await app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } })).statusCode === 200;

async function holderNamed(company: SignedIn, name: string) {
  const ties = { companyRole: 'owner', teamRole: 'owner' } as const;
  const holder = await addPasswordHolder(service, company, ties);
  await database.query('update identity.account set name = $2 where id = $1', [holder.userId, name]);
  return holder;
}

const WAYS: Record<string, { field: string; make: (company: SignedIn) => Promise<Setting> }> = {
  'POST /v1/auth/join': {
    field: '/password',
    make: async (company) => {
      const email = newEmail();
      const { token } = await makeInvite(service, company, { email });
      const set = (password: string) => join(service, { token, name: NAME, password });
      return { email, set, isOpen: opensLink(token) };
    },
  },
  'POST /v1/company/invitations/accept': {
    field: '/password',
    make: async (company) => {
      const email = newEmail();
      const { token } = await makeInvitation(company, { email });
      const set = (password: string) => accept(service, { token, name: NAME, password });
      return { email, set, isOpen: opensLink(token) };
    },
  },
  'POST /v1/auth/reset': {
    field: '/newPassword',
    make: async (company) => {
      const { email } = await holderNamed(company, NAME);
      const { token } = await makeResetLink(service, company, { email });
      return { email, set: (password) => useLink(service, token, password), isOpen: opensLink(token) };
    },
  },
  'POST /v1/auth/password': {
    field: '/newPassword',
    make: async (company) => {
      const { email, ask } = await holderNamed(company, NAME);
      const set = (newPassword: string) => ask.changePassword({ currentPassword: PASSWORD, newPassword });
      return { email, set, isOpen: null };
    },
  },
};

describe('a new password that is easily guessed', () => {
  for (const [route, { field, make }] of Object.entries(WAYS))
    test(`is refused by ${route}, which uses nothing up and accepts another`, async () => {
      const { email, set, isOpen } = await make(await service.company());
      const [local = ''] = email.split('@');
      for (const password of [COMMON, 'Haddad-haddad 2026!', 'NOORHADDAD.12', `${local}.${local}`]) {
        const answer = await set(password);
        assert.equal(outcome(answer), REFUSED, password);
        const { detail, errors } = answer.json<{ detail: string; errors: object[] }>();
        assert.deepEqual(errors, [{ path: field, message: detail }]);
        assert.match(detail, /\. Choose another, for example /);
        assert.equal(outcome(await signInBy(service, email, password)), '401 invalid_credentials');
      }
      if (isOpen !== null) assert.ok(await isOpen());
      const password = 'noor haddad reads';
      assert.ok((await set(password)).statusCode < 300);
      assert.equal(outcome(await signInBy(service, email, password)), '200');
      if (isOpen !== null) assert.ok(!(await isOpen()));
    });

  test('is accepted as the current one of an account that accepts an invite', async () => {
    const company = await service.company();
    for (const [use, token] of [
      [join, async (email: string) => (await makeInvite(service, company, { email })).token],
      [accept, async (email: string) => (await makeInvitation(company, { email })).token],
    ] as const) {
      const { userId } = await addPerson(service, company, { companyRole: 'member' });
      await givePassword(service, userId, COMMON);
      const invited = await token(`person-${userId}@example.com`);
      assert.equal(outcome(await use(service, { token: invited, password: COMMON })), '201');
    }
  });

  test('is accepted as the current one of an account that signs in or changes it', async () => {
    const { userId, ask } = await addPerson(service, await service.company(), { companyRole: 'member' });
    await givePassword(service, userId, COMMON);
    assert.equal(outcome(await signInBy(service, `person-${userId}@example.com`, COMMON)), '200');
    const change = { currentPassword: COMMON, newPassword: PASSWORD };
    assert.equal(outcome(await ask.changePassword(change)), '204');
  });

  test('tells nothing of a token: one that is unknown, used or revoked is refused as with any password', async () => {
    const company = await service.company();
    const used = await makeInvite(service, company);
    await join(service, { token: used.token });
    const revoked = await makeResetLink(service, company);
    await makeResetLink(service, company);
    const unknown = used.token.split('').reverse().join('');
    for (const password of [COMMON, PASSWORD]) {
      assert.equal(outcome(await join(service, { token: unknown, password })), '404 not_found');
      assert.equal(outcome(await accept(service, { token: unknown, password })), '404 not_found');
      assert.equal(outcome(await accept(service, { token: used.token, password })), '404 not_found');
      assert.equal(outcome(await join(service, { token: used.token, password })), '410 token_used');
      assert.equal(outcome(await useLink(service, unknown, password)), '404 not_found');
      assert.equal(outcome(await useLink(service, revoked.token, password)), '410 token_revoked');
    }
  });

  test('is looked at only after the current password', async () => {
    const { ask } = await holderNamed(await service.company(), `Noor ${newId()}`);
    const change = { currentPassword: 'not the password', newPassword: COMMON };
    assert.equal(outcome(await ask.changePassword(change)), '401 invalid_credentials');
  });
});
