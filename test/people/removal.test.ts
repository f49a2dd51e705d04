import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import {
  accept,
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  outcomeOfJoin,
  PASSWORD,
  type PasswordHolder,
} from '../support/invites.ts';
import { askSession, outcome, signInBy } from '../support/sign-in.ts';
import { addClient, addTeam } from '../support/team.ts';

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
