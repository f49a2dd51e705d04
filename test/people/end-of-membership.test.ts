import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Invite } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { addPasswordHolder, newEmail, outcomeOfJoin } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

async function invite(caller: Caller, email = newEmail(), role = 'member') {
  const { invite: made, token } = await caller.api.createInvite({ email, role });
  return { id: made.id, token };
}
const demote = (company: SignedIn, userId: string, role = 'member') =>
  company.ask.changeTeamRole(userId, { role });
const remove = (caller: Caller, userId: string) => caller.ask.removeTeamMember(userId);

/** The state of an invite in the list of the Company Owner. */
async function stateOf(caller: Caller, id: string): Promise<Invite['state'] | undefined> {
  return (await caller.all.listInvites()).find((one) => one.id === id)?.state;
}

/** A second Team of the Company, in which someone has a role as well. */
async function secondTeam(company: SignedIn, userId: string, role: string): Promise<string> {
  const teamId = await addTeam(service, company);
  await service.database.query(
    'insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, $4)',
    [company.companyId, teamId, userId, role],
  );
  return teamId;
}

describe('removal of a member from a Team', () => {
  test('removal ends the role and the grants in that Team at once, and in no other Team', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const person = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const stays = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
    const elsewhere = await secondTeam(company, person.userId, 'member');
    const client = await addClient(service, { ...company, teamId: elsewhere });
    await service.database.query(
      `insert into identity.client_grant (company_id, team_id, client_id, user_id, access)
       values ($1, $2, $3, $4, 'read')`,
      [company.companyId, elsewhere, client, person.userId],
    );
    assert.equal((await remove(company, person.userId)).statusCode, 204);
    assert.equal(outcome(await person.ask.getSelectedTeam()), '403 team_forbidden');
    const grants = await company.all.listClientGrants();
    assert.deepEqual(column(grants, 'userId'), [stays.userId]);
    const kept = await inTeam(person, elsewhere).all.listClientGrants();
    assert.deepEqual(column(kept, 'clientId'), [client]);
  });

  test('removal leaves the Company role and the Company grant', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, {
      companyRole: 'admin',
      companyGrant: 'read',
      teamRole: 'admin',
    });
    await remove(company, reader.userId);
    const { role, access } = await reader.api.getSelectedTeam();
    assert.deepEqual([role, access], [null, 'read']);
  });

  test('removal revokes the invites that the person made in that Team, and names them in the event', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const elsewhere = await secondTeam(company, admin.userId, 'admin');
    const [first, second] = [await invite(admin), await invite(admin)];
    const there = await invite(inTeam(admin, elsewhere));
    const others = await invite(company);
    const { events } = await recordedBy(service, company, () => remove(company, admin.userId));
    const revoked = events.map(({ detail }) =>
      (detail as { revokedInvites: string[] }).revokedInvites.sort(),
    );
    assert.deepEqual(revoked, [[first.id, second.id].sort()]);
    for (const { id, token } of [first, second]) {
      assert.equal(await stateOf(company, id), 'revoked');
      assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
    }
    assert.equal(await outcomeOfJoin(service, others.token), '201');
    assert.equal(await outcomeOfJoin(service, there.token), '201');
  });

  test('removal revokes the invites to the person in that Team, and no other invite', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const elsewhere = inTeam(company, await addTeam(service, company));
    const [here, there] = [
      await invite(company, person.email, 'admin'),
      await invite(elsewhere, person.email),
    ];
    const others = await invite(company);
    await remove(company, person.userId);
    assert.equal(await outcomeOfJoin(service, here.token), '410 token_revoked');
    assert.equal(await outcomeOfJoin(service, there.token), '201');
    assert.equal(await outcomeOfJoin(service, others.token), '201');
    assert.equal(outcome(await person.ask.getSelectedTeam()), '403 team_forbidden');
  });

  test('removal from an archived Team revokes the invites too', async () => {
    const company = await service.company();
    const admin = await addPasswordHolder(service, company, { teamRole: 'admin' });
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const [by, to] = [await invite(admin), await invite(company, person.email, 'admin')];
    await archiveTeam(service, company.teamId);
    for (const { userId } of [admin, person]) assert.equal((await remove(company, userId)).statusCode, 204);
    assert.equal(await stateOf(company, by.id), 'revoked');
    assert.equal(await stateOf(company, to.id), 'revoked');
  });

  test('a new invite does not restore the old role, grants or invites', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const person = await addPasswordHolder(service, company, {
      teamRole: 'admin',
      clients: { [clientId]: 'write' },
    });
    const made = await invite(person);
    await remove(company, person.userId);
    const back = await invite(company, person.email, 'member');
    assert.equal(await outcomeOfJoin(service, back.token), '201');
    const { role, access } = await person.api.getSelectedTeam();
    assert.deepEqual([role, access], ['member', 'member']);
    assert.deepEqual(await person.all.listClients(), []);
    assert.deepEqual(await person.all.listClientGrants(), []);
    await demote(company, person.userId, 'admin');
    assert.equal(await stateOf(person, made.id), 'revoked');
    assert.equal(await outcomeOfJoin(service, made.token), '410 token_revoked');
  });
});

describe('loss of the right to invite', () => {
  test('a demotion revokes the invites that the person made in that Team', async () => {
    const company = await service.company();
    for (const role of ['admin', 'owner'] as const) {
      const person = await addPerson(service, company, { teamRole: role });
      const elsewhere = inTeam(person, await secondTeam(company, person.userId, 'admin'));
      const [here, there, others] = [await invite(person), await invite(elsewhere), await invite(company)];
      const { events } = await recordedBy(service, company, () => demote(company, person.userId));
      assert.deepEqual(columns(events, 'kind', 'detail'), [
        ['team.member_role', { from: role, to: 'member', revokedInvites: [here.id] }],
      ]);
      assert.equal(await outcomeOfJoin(service, here.token), '410 token_revoked');
      assert.equal(await outcomeOfJoin(service, there.token), '201');
      assert.equal(await outcomeOfJoin(service, others.token), '201');
    }
  });

  test('an invite stays valid if its maker keeps Full access', async () => {
    const company = await service.company();
    for (const ties of [
      { companyRole: 'owner', teamRole: 'admin' },
      { companyRole: 'admin', companyGrant: 'full', teamRole: 'admin' },
    ] as const) {
      for (const lose of [
        (userId: string) => demote(company, userId),
        (userId: string) => remove(company, userId),
      ]) {
        const person = await addPerson(service, company, ties);
        const made = await invite(person);
        assert.ok((await lose(person.userId)).statusCode < 300);
        assert.equal(await outcomeOfJoin(service, made.token), '201');
      }
    }
    const owner = await addPerson(service, company, { teamRole: 'owner' });
    const made = await invite(owner);
    assert.equal((await demote(company, owner.userId, 'admin')).statusCode, 200);
    assert.equal(await outcomeOfJoin(service, made.token), '201');
  });

  test('a demotion revokes the invites of a person who keeps only a Company grant to read', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, {
      companyRole: 'admin',
      companyGrant: 'read',
      teamRole: 'admin',
    });
    const made = await invite(person);
    await demote(company, person.userId);
    assert.equal(await outcomeOfJoin(service, made.token), '410 token_revoked');
  });

  test('a demotion leaves used and expired invites unchanged', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const [used, expired] = [await invite(admin), await invite(admin)];
    assert.equal(await outcomeOfJoin(service, used.token), '201');
    await service.database.query('update identity.invite set expires_at = now() where id = $1', [expired.id]);
    await demote(company, admin.userId);
    assert.equal(await stateOf(company, used.id), 'used');
    assert.equal(await stateOf(company, expired.id), 'expired');
  });
});
