import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId, newId } from '../../shared/ids.ts';
import type { Invite } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { accept, expireInvite, makeInvite, newEmail } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/company/invitations';

const invite = (company: SignedIn, body: object) => company.ask.createInvitation(body);
const invited = (company: SignedIn, body: Body<'createInvitation'>) => company.api.createInvitation(body);
const withdraw = (company: SignedIn, id: string) => company.ask.revokeInvitation(id);
const invitations = (company: SignedIn, limit?: number) => company.readAll<Invite>(URL, limit);
const take = (token: string) => accept(service, { token });

describe('POST /v1/company/invitations', () => {
  test('returns the token and the link once', async () => {
    const company = await service.company();
    const email = newEmail();
    const { invitation, token, url } = await invited(company, { email: ` ${email.toUpperCase()} ` });
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(url, `http://127.0.0.1:${service.config.port}/accept#token=${token}`);
    const { id, createdAt, expiresAt, ...rest } = invitation;
    assert.deepEqual(rest, {
      email,
      role: 'admin',
      grants: [],
      state: 'open',
      createdBy: company.ownerId,
      account: null,
      mail: null,
    });
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 168 * 3_600_000);
    const listed = await company.ask.listInvitations();
    assert.deepEqual(listed.json(), { items: [invitation], nextCursor: null });
    assert.ok(isId(id) && !listed.body.includes(token));
  });

  test('revokes the open invitation to the same email, and no other invite', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const email = newEmail();
    const first = await invited(company, { email });
    const elsewhere = await invited(other, { email });
    const toTeam = await makeInvite(service, company, { email });
    const another = await invited(company, { email: newEmail() });
    const second = await invited(company, { email: email.toUpperCase() });
    assert.equal(outcome(await take(first.token)), '410 token_revoked');
    const states = new Map((await invitations(company)).map(({ id, state }) => [id, state]));
    assert.deepEqual(
      [first, another, second].map(({ invitation }) => states.get(invitation.id)),
      ['revoked', 'open', 'open'],
    );
    assert.equal((await invitations(other))[0]?.state, 'open');
    const [invite] = await company.all.listInvites();
    assert.deepEqual([invite?.id, invite?.state], [toTeam.invite.id, 'open']);
    assert.equal(outcome(await take(second.token)), '201');
    assert.equal(outcome(await take(elsewhere.token)), '201', 'an account of its own in the other Company');
  });

  test('returns 409 for the caller’s own email and for an Admin or Owner, and records nothing', async () => {
    const company = await service.company();
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const emails = [
      company.ownerEmail,
      ` ${company.ownerEmail.toUpperCase()}`,
      `person-${owner.userId}@example.com`,
      `person-${admin.userId}@example.com`,
    ];
    await recordsNothing(service, company, async () => {
      for (const email of emails) {
        assert.equal(outcome(await invite(company, { email })), '409 conflict', email);
      }
    });
    assert.deepEqual(await invitations(company), []);
  });

  test('returns the same fields for an email of another Company as for an unknown email', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const emails = [other.ownerEmail, `owner-${newId()}@example.com`];
    const shapes = [];
    for (const email of emails) {
      const { invitation, token, url } = await invited(company, { email });
      assert.equal(invitation.email, email);
      shapes.push({
        ...invitation,
        id: '',
        email: '',
        createdAt: '',
        expiresAt: '',
        url: url.replace(token, ''),
      });
    }
    assert.deepEqual(shapes[0], shapes[1]);
  });
});

describe('GET /v1/company/invitations', () => {
  test('lists each invitation with its state, newest first, without invites into a Team', async () => {
    const company = await service.company();
    await makeInvite(service, company);
    const used = await invited(company, { email: newEmail() });
    assert.equal(outcome(await take(used.token)), '201');
    const expired = await invited(company, { email: newEmail() });
    await expireInvite(service, expired.token);
    const replacedLate = await invited(company, { email: newEmail() });
    await expireInvite(service, replacedLate.token);
    const withdrawn = await invited(company, { email: newEmail() });
    assert.equal((await withdraw(company, withdrawn.invitation.id)).statusCode, 204);
    const open = await invited(company, { email: replacedLate.invitation.email });
    const expected = [
      [open.invitation.id, 'open'],
      [withdrawn.invitation.id, 'revoked'],
      [replacedLate.invitation.id, 'expired'],
      [expired.invitation.id, 'expired'],
      [used.invitation.id, 'used'],
    ];
    for (const limit of [200, 2]) {
      const listed = (await invitations(company, limit)).map(({ id, state }) => [id, state]);
      assert.deepEqual(listed, expected, `by ${limit}`);
    }
  });
});
