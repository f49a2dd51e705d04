import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { Invite } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import {
  accept,
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  outcomeOfJoin,
  PASSWORD,
  type PasswordHolder,
} from '../support/invites.ts';
import { askSession, outcome, signInBy } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam, type Person } from '../support/team.ts';

const service = await openTestApp();

const { database } = service;

const NEW_PASSWORD = 'the password of the next one';

const remove = (company: SignedIn, { userId }: { userId: string }) => company.api.removeCompanyMember(userId);

/** Someone with all that one can have in a Company. */
async function addBusyPerson(company: SignedIn) {
  const clientId = await addClient(service, company);
  const [granted, wanted] = [await addTeam(service, company), await addTeam(service, company)];
  const person = await addPasswordHolder(service, company, {
    companyRole: 'admin',
    teamRole: 'admin',
    clients: { [clientId]: 'write' },
  });
  await company.api.giveCompanyGrant(person.userId, granted, { access: 'full' });
  await person.api.requestAccess({ teamId: wanted, access: 'read' });
  return person;
}

/** Everything in the Company that refers to a person, except records of the past. */
async function leftOf({ companyId }: SignedIn, { userId, email }: PasswordHolder) {
  const [row] = await database.query<Record<string, number>>(
    `select (select count(*) from identity.session where user_id = $2) as sessions,
            (select count(*) from identity.team_member where user_id = $2) as roles,
            (select count(*) from identity.client_grant where user_id = $2) as "clientGrants",
            (select count(*) from identity.company_grant where user_id = $2) as "companyGrants",
            (select count(*) from identity.access_request where user_id = $2 and state = 'open') as requests,
            (select count(*) from identity.invite i
              where (i.created_by = $2 or i.email = $3) and identity.invite_state(i.used_at, i.revoked_at, i.expires_at) = 'open') as invites,
            (select count(*) from identity.account where id = $2 and password_hash is not null) as passwords
       from identity.company where id = $1`,
    [companyId, userId, email],
  );
  return row;
}

describe('DELETE /v1/company/members/:userId', () => {
  test('deletes the roles, grants and password of the removed person and denies their requests', async () => {
    const company = await service.company();
    const person = await addBusyPerson(company);
    await remove(company, person);
    assert.deepEqual(await leftOf(company, person), {
      sessions: 0,
      roles: 0,
      clientGrants: 0,
      companyGrants: 0,
      requests: 0,
      invites: 0,
      passwords: 0,
    });
    assert.deepEqual(column(await company.all.listCompanyMembers(), 'userId'), [company.ownerId]);
    assert.deepEqual(column(await company.all.listTeamMembers(), 'userId'), [company.ownerId]);
    assert.deepEqual(await company.all.listCompanyGrants(), []);
    assert.deepEqual(await company.all.listClientGrants(), []);
    const requests = await company.all.listAccessRequests();
    assert.deepEqual(columns(requests, 'state', 'decidedBy'), [['denied', company.ownerId]]);
  });

  test('revokes all invites of the Company to the email of the removed person, and none of another', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const { email } = person;
    const teamId = await addTeam(service, company);
    const invites = [
      await makeInvite(service, company, { email, teamId }),
      await makeInvite(service, company, { email, role: 'admin' }),
    ];
    const invitation = await makeInvitation(company, { email });
    const elsewhere = await makeInvite(service, other, { email });
    await remove(company, person);
    for (const { token } of invites) assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
    assert.equal(outcome(await accept(service, { token: invitation.token })), '410 token_revoked');
    assert.equal(await outcomeOfJoin(service, elsewhere.token), '201');
  });

  test('frees the email for a new account that has no data of the old one', async () => {
    const company = await service.company();
    const person = await addBusyPerson(company);
    const { email } = person;
    await remove(company, person);
    const { token } = await company.api.createInvite({ email, role: 'member' });
    const joined = await join(service, { token, name: 'The next one', password: NEW_PASSWORD });
    assert.equal(joined.statusCode, 201);
    const session = joined.json<Session>();
    assert.notEqual(session.user.id, person.userId);
    assert.deepEqual([session.user.name, session.company.role], ['The next one', 'member']);
    assert.deepEqual(columns(session.teams, 'id', 'role', 'access'), [[company.teamId, 'member', 'member']]);
    const next = callerOf(service.app, {
      authorization: `Bearer ${session.token}`,
      'memory-team': company.teamId,
    });
    assert.deepEqual(await next.all.listClients(), []);
    assert.equal((await next.all.listSessions()).length, 1);
    assert.equal(outcome(await askSession(service, person.token)), '401 unauthenticated');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
    // Nor does the next one as an Admin have what the one before had asked for and been given.
    await company.api.changeCompanyRole(session.user.id, { role: 'admin' });
    assert.deepEqual(await next.all.listAccessRequests(), []);
    assert.deepEqual(await company.all.listCompanyGrants(), []);
  });

  test('does not change the account, session or role of anyone else', async () => {
    const company = await service.company();
    const [gone, stays] = [
      await addPasswordHolder(service, company, { teamRole: 'member' }),
      await addPasswordHolder(service, company, {
        teamRole: 'member',
        companyRole: 'admin',
        companyGrant: 'read',
      }),
    ];
    const before = await leftOf(company, stays);
    await remove(company, gone);
    assert.deepEqual(await leftOf(company, stays), before);
    assert.equal(outcome(await signInBy(service, stays.email, PASSWORD)), '200');
    assert.equal(before?.['companyGrants'], 1);
  });
});

async function invite(caller: Caller, email = newEmail(), role = 'member') {
  const { invite: made, token } = await caller.api.createInvite({ email, role });
  return { id: made.id, token };
}

const demote = (company: SignedIn, userId: string, role = 'member') =>
  company.ask.changeTeamRole(userId, { role });

const removeFromTeam = (caller: Caller, userId: string) => caller.ask.removeTeamMember(userId);

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
    assert.equal((await removeFromTeam(company, person.userId)).statusCode, 204);
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
    await removeFromTeam(company, reader.userId);
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
    await removeFromTeam(company, person.userId);
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
    await removeFromTeam(company, person.userId);
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

/** An Admin with two grants, an open access request, and a role of their own in a Team. */
async function addBusyAdmin(company: SignedIn) {
  const [granted, wanted] = [await addTeam(service, company), await addTeam(service, company)];
  const admin = await addPerson(service, company, { companyRole: 'admin', teamRole: 'admin' });
  for (const teamId of [granted, company.teamId]) {
    await company.api.giveCompanyGrant(admin.userId, teamId, { access: 'full' });
  }
  const { id: requestId } = await admin.api.requestAccess({ teamId: wanted, access: 'read' });
  return { admin, requestId };
}

/** How many Company grants someone has, and the access requests of theirs. */
async function heldBy(company: SignedIn, { userId }: Person) {
  const isTheirs = (one: { userId: string }) => one.userId === userId;
  const requests = (await company.all.listAccessRequests()).filter(isTheirs);
  return {
    grants: (await company.all.listCompanyGrants()).filter(isTheirs).length,
    requests: columns(requests, 'id', 'state', 'decidedBy'),
  };
}

// Which invites are revoked, is tested in `invites/lost-right.test.ts`.
describe('a Company Admin who loses the role', () => {
  test('loses the grants and open requests for good, and nothing else; others lose nothing', async () => {
    const company = await service.company();
    const { ownerId, teamId } = company;
    const { admin, requestId } = await addBusyAdmin(company);
    const earlier = await admin.api.requestAccess({
      teamId: await addTeam(service, company),
      access: 'read',
    });
    await company.api.approveAccessRequest(earlier.id);
    const other = await addBusyAdmin(company);
    for (const role of ['member', 'admin']) {
      await company.api.changeCompanyRole(admin.userId, { role });
      const requests = [
        [earlier.id, 'approved', ownerId],
        [requestId, 'denied', ownerId],
      ];
      assert.deepEqual(await heldBy(company, admin), { grants: 0, requests }, role);
      const { teams } = await admin.api.getSession();
      assert.deepEqual(columns(teams, 'id', 'access'), [[teamId, 'full']]);
    }
    const requests = [[other.requestId, 'open', null]];
    assert.deepEqual(await heldBy(company, other.admin), { grants: 2, requests });
  });

  test('loses an open invitation to become an Admin, but not an invite into a Team', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    const email = `person-${userId}@example.com`;
    await makeInvitation(company, { email });
    await makeInvite(service, company, { email });
    for (const [role, state] of [
      ['admin', 'open'],
      ['member', 'revoked'],
    ] as const) {
      await company.api.changeCompanyRole(userId, { role });
      assert.equal((await company.all.listInvitations())[0]?.state, state);
      assert.equal((await company.all.listInvites())[0]?.state, 'open');
    }
  });
});
