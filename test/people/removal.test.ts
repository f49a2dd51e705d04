import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { Member } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import {
  accept,
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  PASSWORD,
  type PasswordHolder,
} from '../support/invites.ts';
import { askSession, linkToken, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addClient, addTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const NEW_PASSWORD = 'the password of the next one';

async function remove(company: SignedIn, { userId }: { userId: string }): Promise<void> {
  const answer = await company.ask.removeCompanyMember(userId);
  assert.equal(answer.statusCode, 204, answer.body);
  assert.equal(answer.body, '');
}

/** Someone with all that one can have in a Company. */
async function addBusyPerson(company: SignedIn) {
  const clientId = await addClient(service, company);
  const [granted, wanted] = [await addTeam(service, company), await addTeam(service, company)];
  const person = await addPasswordHolder(service, company, {
    companyRole: 'admin',
    teamRole: 'admin',
    clients: { [clientId]: 'write' },
  });
  const grant = `/v1/company/grants/${person.userId}/${granted}`;
  assert.equal((await company.send('PUT', grant, { access: 'full' })).statusCode, 200);
  const request = { teamId: wanted, access: 'read' };
  assert.equal((await person.ask.requestAccess(request)).statusCode, 201);
  return { person, granted, wanted };
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
  test('ends every session of the removed person on the next request and blocks the login', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const second = (await signInBy(service, person.email, PASSWORD)).json<Session>().token;
    await remove(company, person);
    for (const token of [person.token, second]) {
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    }
    assert.equal(outcome(await person.ask.getStatus()), '401 unauthenticated');
    const refused = await signInBy(service, person.email, PASSWORD);
    assert.equal(outcome(refused), '401 invalid_credentials');
    assert.equal((await askSession(service, company.token)).statusCode, 200);
  });

  test('deletes the roles, grants and password of the removed person and denies their requests', async () => {
    const company = await service.company();
    const { person } = await addBusyPerson(company);
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
    const isTheirs = ({ userId }: { userId: string }) => userId === person.userId;
    for (const list of ['/v1/company/members', '/v1/team/members']) {
      const found = await company.readAll<Member>(list);
      assert.ok(found.length > 0 && !found.some(isTheirs), list);
    }
    assert.deepEqual(await company.all.listCompanyGrants(), []);
    assert.deepEqual(await company.all.listClientGrants(), []);
    const requests = await company.all.listAccessRequests();
    assert.deepEqual(columns(requests, 'state', 'decidedBy'), [['denied', company.ownerId]]);
  });

  test('revokes all invites of the Company to the email of the removed person', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const { email } = person;
    const teamId = await addTeam(service, company);
    const invites = [
      await makeInvite(service, company, { email, teamId }),
      await makeInvite(service, company, { email, role: 'admin' }),
    ];
    const invitation = await makeInvitation(company, { email });
    await remove(company, person);
    for (const { token } of invites) {
      assert.equal(outcome(await join(service, { token })), '410 token_revoked');
    }
    const refused = await accept(service, { token: invitation.token });
    assert.equal(outcome(refused), '410 token_revoked');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
  });

  test('keeps the invites of other Companies to the email of the removed person', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, other, { email: person.email });
    await remove(company, person);
    const joined = (await join(service, { token, password: NEW_PASSWORD })).json<Session>();
    assert.equal(joined.company.id, other.companyId);
  });

  test('invalidates an open reset link of the removed person', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const url = `/v1/company/members/${person.userId}/reset-link`;
    const link = (await company.send('POST', url)).json<{ url: string }>();
    await remove(company, person);
    const used = await useLink(service, linkToken(link.url), NEW_PASSWORD);
    assert.equal(outcome(used), '404 not_found');
  });

  test('frees the email for a new account that has no data of the old one', async () => {
    const company = await service.company();
    const { person, granted, wanted } = await addBusyPerson(company);
    const { email } = person;
    await remove(company, person);
    const body = { email, role: 'member' };
    const { token } = await company.api.createInvite(body);
    const joined = await join(service, { token, name: 'The next one', password: NEW_PASSWORD });
    assert.equal(joined.statusCode, 201);
    const session = joined.json<Session>();
    assert.notEqual(session.user.id, person.userId);
    assert.deepEqual([session.user.name, session.company.role], ['The next one', 'member']);
    assert.deepEqual(columns(session.teams, 'id', 'role', 'access'), [[company.teamId, 'member', 'member']]);
    for (const teamId of [granted, wanted]) assert.ok(!session.teams.some(({ id }) => id === teamId));
    const next = callerOf(service.app, {
      authorization: `Bearer ${session.token}`,
      'memory-team': company.teamId,
    });
    assert.deepEqual(await next.all.listClients(), []);
    assert.equal((await next.all.listSessions()).length, 1);
    assert.equal(outcome(await askSession(service, person.token)), '401 unauthenticated');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
    // Nor does the next one as an Admin have what the one before had asked for and been given.
    const role = `/v1/company/members/${session.user.id}`;
    assert.equal((await company.send('PATCH', role, { role: 'admin' })).statusCode, 200);
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
