import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { accept, addPasswordHolder, join, newEmail, PASSWORD } from '../../support/invites.ts';
import { requestsWithField } from '../../support/request-fields.ts';
import { askSession, outcome } from '../../support/sign-in.ts';

const service = await openTestApp();

/** A member who has taken an address that somebody else uses or is expected with. */
async function addTaker(company: SignedIn, email: string) {
  const member = await addPasswordHolder(service, company, { teamRole: 'member' });
  const answer = await member.ask.changeAccount({ email, password: PASSWORD });
  assert.equal(outcome(answer), '200');
  return member;
}

async function rightsOf(token: string) {
  const { company, teams } = (await askSession(service, token)).json<Session>();
  return { company, teams };
}

/** Every request of an Owner that names a person by an email, and its answer. */
const REQUESTS: Record<string, [body: (email: string, teamId: string) => object, expected: string]> = {
  'POST /v1/company/teams': [(ownerEmail) => ({ name: 'A new Team', ownerEmail }), '201'],
  'POST /v1/team/invites': [(email) => ({ email, role: 'admin' }), '201'],
  'POST /v1/company/invitations': [(email) => ({ email }), '201'],
  // The email must be of an Owner.
  'POST /v1/company/reset-links': [(email, teamId) => ({ teamId, email }), '404 not_found'],
};
/** Those by which people name themselves. */
const OWN = ['PATCH /v1/auth/account', 'POST /v1/auth/forgot', 'POST /v1/auth/login'];
/** Those of the operator, for whom the email must be of an Owner, or of nobody yet. */
const OF_OPERATORS = ['POST /v1/companies', 'POST /v1/companies/{id}/owner-link'];

describe('a member who has taken the address of somebody else', () => {
  for (const [request, [body, expected]] of Object.entries(REQUESTS)) {
    test(`gets no right when the address is named: ${request}`, async () => {
      const company = await service.company();
      const email = newEmail();
      const taker = await addTaker(company, email);
      const before = await rightsOf(taker.token);
      const url = request.slice('POST '.length);
      const answer = await company.send('POST', url, body(email, company.teamId));
      assert.equal(outcome(answer), expected);
      assert.deepEqual(await rightsOf(taker.token), before);
      if (expected !== '201') return;
      // The link is the caller's to send: the member has not seen it.
      assert.equal(answer.json<{ token: string }>().token.length, 43);
    });
  }

  test('does not use the invite of the address without its link, and nobody else uses it as their account', async () => {
    const company = await service.company();
    const email = newEmail();
    const { token } = await company.api.createInvite({ email, role: 'admin' });
    const taker = await addTaker(company, email);
    const password = 'a password of the invited person';
    assert.equal(outcome(await join(service, { token, password })), '401 invalid_credentials');
    assert.equal(outcome(await accept(service, { token, password })), '404 not_found');
    assert.deepEqual(column((await rightsOf(taker.token)).teams, 'role'), ['member']);
  });

  test('no other request names a person by an email', async () => {
    assert.deepEqual(
      await requestsWithField(service.app, /email/i),
      [...Object.keys(REQUESTS), ...OWN, ...OF_OPERATORS].sort(),
    );
  });
});
