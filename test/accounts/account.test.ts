import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { addPasswordHolder, newEmail, PASSWORD, type PasswordHolder } from '../support/invites.ts';
import { assertInvalid } from '../support/refusals.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import type { Caller } from '../support/team.ts';

const service = await openTestApp();
const change = (caller: Caller, body: object) => caller.ask.changeAccount(body);

async function addOwner(company: SignedIn): Promise<PasswordHolder> {
  return addPasswordHolder(service, company, { companyRole: 'owner', teamRole: 'owner' });
}

const shownUser = async (token: string) => (await askSession(service, token)).json<Session>().user;

describe('PATCH /v1/auth/account', () => {
  test('changes the name without the password, and ends no session', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    const account = { id: person.userId, name: 'Ada King', email: person.email };
    assert.deepEqual(await person.api.changeAccount({ name: 'Ada King' }), account);
    await recordsNothing(service, company, () => person.api.changeAccount({ name: 'Ada King' }));
    for (const token of [person.token, other]) assert.equal((await shownUser(token)).name, 'Ada King');
  });

  test('changes the email with the password, and ends other sessions and reset links', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    const link = await makeResetLink(service, company, { email: person.email });
    const email = newEmail();
    const answer = await change(person, { email: ` ${email.toUpperCase()} `, password: PASSWORD });
    assert.deepEqual([answer.statusCode, answer.json<{ email: string }>().email], [200, email]);
    assert.equal((await shownUser(person.token)).email, email);
    assert.equal(outcome(await askSession(service, other)), '401 unauthenticated');
    assert.equal(outcome(await useLink(service, link.token, PASSWORD)), '410 token_revoked');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '200');
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '401 invalid_credentials');
  });

  test('keeps every session if the email stays the same', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    await recordsNothing(service, company, async () => {
      assert.equal((await change(person, { email: person.email, password: PASSWORD })).statusCode, 200);
    });
    assert.equal(outcome(await askSession(service, other)), '200');
  });

  test('refuses an email of another account, in any Company, and changes nothing', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const colleague = await addOwner(company);
    const stranger = await addOwner(await service.company());
    await recordsNothing(service, company, async () => {
      for (const { email } of [colleague, stranger]) {
        const body = { name: 'Ada King', email, password: PASSWORD };
        assert.equal(outcome(await change(person, body)), '409 conflict');
      }
    });
    assert.equal((await shownUser(person.token)).email, person.email);
  });

  test('gives an email once when two accounts take it at the same time', async () => {
    const company = await service.company();
    const people = [await addOwner(company), await addOwner(company)];
    const body = { email: newEmail(), password: PASSWORD };
    const answers = await Promise.all(people.map((person) => change(person, body)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409]);
  });

  test('requires the right password with an email, and no password without one', async () => {
    const person = await addOwner(await service.company());
    const email = newEmail();
    assertInvalid(await change(person, {}), '/');
    assertInvalid(await change(person, { email }), '/password');
    assertInvalid(await change(person, { name: 'x', password: PASSWORD }), '/password');
    assertInvalid(await change(person, { email: 'nobody', password: PASSWORD }), '/email');
    assert.equal(
      outcome(await change(person, { email, password: `${PASSWORD}!` })),
      '401 invalid_credentials',
    );
    assert.equal((await shownUser(person.token)).email, person.email);
  });
});

describe('PATCH /v1/company', () => {
  test('renames the Company for everyone, and records the same name not again', async () => {
    const company = await service.company();
    const before = await company.api.getCompany();
    const name = 'Engines';
    assert.deepEqual(await company.api.renameCompany({ name }), { ...before, name });
    await recordsNothing(service, company, () => company.api.renameCompany({ name }));
    assert.equal((await askSession(service, company.token)).json<Session>().company.name, 'Engines');
  });
});
