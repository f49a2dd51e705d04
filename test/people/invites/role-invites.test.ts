import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IssuedInvite } from '../../../core/people/invites.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordedBy } from '../../support/company.ts';
import {
  accessToClient,
  addPasswordHolder,
  expireInvite,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  outcomeOfJoin,
  WRITES,
} from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, type Person } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;

const emailOf = ({ userId }: Person) => `person-${userId}@example.com`;

type Answer = Parameters<typeof outcome>[0];

const told = (answer: Answer) => (answer.statusCode === 204 ? '204' : outcome(answer));
const setTeamRole = (by: Caller, userId: string, role: string) => by.ask.changeTeamRole(userId, { role });

/** The ids of invites that the audit events of an action contain in this field. */
async function named(company: SignedIn, field: string, action: () => Promise<unknown>): Promise<string[]> {
  const { events } = await recordedBy(service, company, action);
  return events.flatMap(({ detail }) => detail[field] as string[]).sort();
}

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
        assert.equal(told(answer), how === 'replaced' ? '201' : '204');
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

test('accepting an invite with a read grant keeps an existing write grant', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await addPasswordHolder(service, company, {});
  const grants = [{ clientId, access: 'read' as const }];
  const { token } = await makeInvite(service, company, { email: person.email, grants });
  // Both were given while the invite was open.
  const ids = [company.companyId, company.teamId, person.userId];
  await database.query(
    `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'member')`,
    ids,
  );
  await database.query(
    `insert into identity.client_grant (company_id, team_id, user_id, client_id, access)
     values ($1, $2, $3, $4, 'write')`,
    [...ids, clientId],
  );
  assert.equal(await outcomeOfJoin(service, token), '201');
  assert.deepEqual(await accessToClient(service, company, person.token, clientId), WRITES);
});

describe('the audit event of a change that ends invites', () => {
  test('the audit event names the open invites made by a removed member and those sent to them', async () => {
    const company = await service.company();
    const elsewhere = await addTeam(service, company);
    for (const from of ['Company', 'Team']) {
      const person = await addPerson(service, company, { teamRole: 'admin' });
      const email = emailOf(person);
      const by = await person.api.createInvite({ email: newEmail(), role: 'member' });
      const here = await makeInvite(service, company, { email, role: 'owner' });
      const there = await makeInvite(service, company, { email, teamId: elsewhere });
      const invitation = (await makeInvitation(company, { email })).invite.id;
      await makeInvite(service, company);
      const ended = [by.invite.id, here.invite.id];
      if (from === 'Company') ended.push(there.invite.id, invitation);
      const url = `/v1/${from === 'Company' ? 'company' : 'team'}/members/${person.userId}`;
      const revoked = await named(company, 'revokedInvites', async () =>
        assert.equal(told(await company.send('DELETE', url)), '204'),
      );
      assert.deepEqual(revoked, ended.toSorted());
    }
  });

  test('the audit event names the open invite that a new one replaced, but not an expired one', async () => {
    const company = await service.company();
    const email = newEmail();
    const [team, invitation] = [
      () => makeInvite(service, company, { email }),
      () => makeInvitation(company, { email }),
    ];
    for (const make of [team, invitation]) {
      const first = await make();
      let second: IssuedInvite | undefined;
      const replaced = await named(company, 'replaced', async () => {
        second = await make();
      });
      assert.deepEqual(replaced, [first.invite.id]);
      await expireInvite(service, second?.token ?? '');
      assert.deepEqual(await named(company, 'replaced', make), []);
    }
  });
});
