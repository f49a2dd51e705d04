import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Invite } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { addPasswordHolder, newEmail, outcomeOfJoin } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

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
