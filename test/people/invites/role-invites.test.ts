import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp } from '../../support/app.ts';
import { join, makeInvite, newEmail, outcomeOfJoin } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { addPerson, type Caller, type Person } from '../../support/team.ts';

const service = await openTestApp();

const emailOf = ({ userId }: Person) => `person-${userId}@example.com`;

const setTeamRole = (by: Caller, userId: string, role: string) => by.ask.changeTeamRole(userId, { role });

describe('the open invite of a future Team Owner', () => {
  /** A new Team whose Owner has not joined yet. */
  async function ownerlessTeam() {
    const company = await service.company();
    const email = newEmail();
    const body = { name: 'A new Team', ownerEmail: email };
    const { team, invite, token } = await company.api.createTeam(body);
    assert.ok(invite && token, 'no account has the email');
    return { company: { ...company, teamId: team.id }, email, invite, token };
  }
  const again = (by: Caller, email: string) => by.ask.createInvite({ email, role: 'member' });
  const withdraw = (by: Caller, id: string) => by.ask.revokeInvite(id);

  test('a caller with only Full access gets 403 for replacing or revoking the invite of an Owner', async () => {
    const { company, email, invite, token } = await ownerlessTeam();
    for (const ties of [
      { teamRole: 'admin' },
      { companyRole: 'admin', companyGrant: 'full' },
      { companyRole: 'admin', teamRole: 'admin' },
    ] as const) {
      const person = await addPerson(service, company, ties);
      assert.equal(outcome(await again(person, email)), '403 forbidden');
      assert.equal(outcome(await withdraw(person, invite.id)), '403 forbidden');
    }
    const joined = await join(service, { token });
    assert.equal(outcome(joined), '201');
    assert.equal(joined.json<Session>().teams[0]?.role, 'owner');
  });

  test('a Company Owner and a Team Owner can replace and revoke the invite of an Owner', async () => {
    for (const how of ['replaced', 'withdrawn']) {
      for (const ties of [{ companyRole: 'owner' }, { teamRole: 'owner' }] as const) {
        const { company, email, invite, token } = await ownerlessTeam();
        const owner = await addPerson(service, company, ties);
        const answer = how === 'replaced' ? await again(owner, email) : await withdraw(owner, invite.id);
        assert.equal(outcome(answer), how === 'replaced' ? '201' : '204');
        assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
      }
    }
  });
});

describe('an open invite when the Team role of its recipient is lowered', () => {
  test('the invite is revoked, so it cannot restore the role', async () => {
    const company = await service.company();
    for (const [invited, from, to] of [
      ['admin', 'admin', 'member'],
      ['owner', 'admin', 'member'],
      ['owner', 'owner', 'admin'],
    ] as const) {
      const person = await addPerson(service, company, { teamRole: 'member' });
      const { token } = await makeInvite(service, company, { email: emailOf(person), role: invited });
      for (const role of [from, to]) {
        assert.equal(outcome(await setTeamRole(company, person.userId, role)), '200');
      }
      assert.equal(
        await outcomeOfJoin(service, token),
        '410 token_revoked',
        `${invited}: from ${from} to ${to}`,
      );
    }
  });
});
