import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { callerOf, via } from '../support/client/client.ts';
import {
  accept,
  accessToClient,
  addPasswordHolder,
  join,
  makeInvitation,
  makeInvite,
  type PasswordHolder,
  REACHES_NOTHING,
  READS,
  WRITES,
} from '../support/invites.ts';
import { openSecondApp } from '../support/second-app.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller, type Person, type Ties } from '../support/team.ts';

/** Changes are made in the first process. The second is asked before and after, and must not cache. */
const service = await openTestApp();
const second = await openSecondApp({ after }, service);
const PASSWORD = 'a password of this test';
type Process = Pick<TestApp, 'app'>;

/** Sends a change through the API of the first process. */
async function change(
  caller: Caller,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload: object = {},
): Promise<void> {
  const answer = await service.app.inject({ method, url, headers: caller.headers, payload });
  assert.ok(answer.statusCode < 300, `${method} ${url}: ${answer.statusCode} ${answer.body}`);
}

/** Asserts the answer of the second process before a change, and of both processes after it. */
async function assertChanges<T>(
  ask: (process: Process) => Promise<T>,
  [before, afterwards]: [T, T],
  happen: () => Promise<unknown>,
): Promise<void> {
  assert.deepEqual(await ask(second), before);
  await happen();
  assert.deepEqual(await ask(second), afterwards);
  assert.deepEqual(await ask(service), afterwards);
}

const asking = (url: string, caller: Caller) => async (by: Process) =>
  outcome(await via(by, caller).send('GET', url));
const writing = (caller: Caller) => async (by: Process) =>
  outcome(await via(by, caller).ask.ingestSource({ title: 'x', text: `about ${newId()}` }));

describe('the end of a session, seen by every API process', () => {
  /** A person with a password and a second session, which is the one to end. */
  async function addTwice(company: SignedIn): Promise<PasswordHolder & { other: string }> {
    const ties = { companyRole: 'owner', teamRole: 'owner' } as const;
    const person = await addPasswordHolder(service, company, ties, PASSWORD);
    return { ...person, other: await service.signIn(company.companyId, person.userId) };
  }
  const withToken = (token: string) => callerOf(service.app, { authorization: `Bearer ${token}` });

  const ways: [
    string,
    (company: SignedIn, person: PasswordHolder & { other: string }) => Promise<unknown>,
  ][] = [
    [
      'returns 401 for a session that was logged out',
      (_, { other }) => change(withToken(other), 'POST', '/v1/auth/logout'),
    ],
    [
      'returns 401 for a session after another one logged out everywhere',
      (_, person) => change(person, 'POST', '/v1/auth/logout', { everywhere: true }),
    ],
    [
      'returns 401 for a session that another one ended',
      async (_, person) => {
        const list = await person.api.listSessions();
        const id = list.items.find(({ current }) => !current)?.id;
        await change(person, 'DELETE', `/v1/auth/sessions/${id}`);
      },
    ],
    [
      'returns 401 for other sessions after a password change',
      (_, person) => {
        const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` };
        return change(person, 'POST', '/v1/auth/password', passwords);
      },
    ],
    [
      'returns 401 for a session after a password reset',
      async (company, { email }) => {
        const { token } = await makeResetLink(service, company, { email });
        assert.equal(outcome(await useLink(service, token, `${PASSWORD} 2`)), '200');
      },
    ],
    [
      'returns 401 for a session after the removal from the Company',
      (company, { userId }) => change(company, 'DELETE', `/v1/company/members/${userId}`),
    ],
  ];
  for (const [name, end] of ways) {
    test(name, async () => {
      const company = await service.company();
      const person = await addTwice(company);
      await assertChanges(
        async (by) => outcome(await askSession(by, person.other)),
        ['200', '401 unauthenticated'],
        () => end(company, person),
      );
      assert.equal(outcome(await askSession(second, company.token)), '200');
    });
  }

  test('a member removed from the Company can only return with a new account', async () => {
    const company = await service.company();
    const person = await addTwice(company);
    const reset = await makeResetLink(service, company, { email: person.email });
    await assertChanges(
      async (by) => outcome(await signInBy(by, person.email, PASSWORD)),
      ['200', '401 invalid_credentials'],
      () => change(company, 'DELETE', `/v1/company/members/${person.userId}`),
    );
    assert.equal(outcome(await useLink(second, reset.token, PASSWORD)), '404 not_found');
    const { token } = await makeInvite(service, company, { email: person.email });
    const answer = await join(second, { token, password: `${PASSWORD} 2` });
    assert.equal(outcome(answer), '201');
    const { user, company: held, teams } = answer.json<Session>();
    assert.notEqual(user.id, person.userId);
    assert.deepEqual([held.role, teams.map(({ role }) => role)], ['member', ['member']]);
    assert.equal(outcome(await askSession(second, person.token)), '401 unauthenticated');
  });
});

describe('a change of access, seen by every API process', () => {
  /** A Company and a person with these ties to it. */
  async function addTo(ties: Ties): Promise<{ company: SignedIn; person: Person }> {
    const company = await service.company();
    return { company, person: await addPerson(service, company, ties) };
  }

  test('returns 403 for a member who was removed from the Team', async () => {
    const { company, person } = await addTo({ teamRole: 'member' });
    await assertChanges(asking('/v1/team', person), ['200', '403 team_forbidden'], () =>
      change(company, 'DELETE', `/v1/team/members/${person.userId}`),
    );
  });

  test('a new Team role applies to the next request', async () => {
    const { company, person } = await addTo({ teamRole: 'admin' });
    await assertChanges(asking('/v1/team/invites', person), ['200', '403 full_access_required'], () =>
      change(company, 'PATCH', `/v1/team/members/${person.userId}`, { role: 'member' }),
    );
    await assertChanges(asking('/v1/team/invites', person), ['403 full_access_required', '200'], () =>
      change(company, 'PATCH', `/v1/team/members/${person.userId}`, { role: 'admin' }),
    );
  });

  test('a new Company role applies to the next request', async () => {
    const { company, person } = await addTo({ companyRole: 'owner' });
    const role = (name: string) => () =>
      change(company, 'PATCH', `/v1/company/members/${person.userId}`, { role: name });
    await assertChanges(asking('/v1/team', person), ['200', '403 team_forbidden'], role('admin'));
    await assertChanges(asking('/v1/company', person), ['200', '403 company_role_required'], role('member'));
    await assertChanges(asking('/v1/company', person), ['403 company_role_required', '200'], role('owner'));
  });

  test('a Company Admin who loses the role also loses the Company grants for good', async () => {
    const { company, person } = await addTo({ companyRole: 'admin', companyGrant: 'full' });
    const role = (name: string) => () =>
      change(company, 'PATCH', `/v1/company/members/${person.userId}`, { role: name });
    await assertChanges(asking('/v1/team', person), ['200', '403 team_forbidden'], role('member'));
    await role('admin')();
    assert.equal(await asking('/v1/team', person)(second), '403 team_forbidden');
  });

  test('lowering and deleting a Company grant apply to the next request', async () => {
    const { company, person } = await addTo({ companyRole: 'admin', companyGrant: 'full' });
    const url = `/v1/company/grants/${person.userId}/${company.teamId}`;
    await assertChanges(writing(person), ['201', '403 scope_forbidden'], () =>
      change(company, 'PUT', url, { access: 'read' }),
    );
    await assertChanges(asking('/v1/memory/status', person), ['200', '403 team_forbidden'], () =>
      change(company, 'DELETE', url),
    );
  });

  test('lowering and deleting a client grant apply to the next request', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const person = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const url = `/v1/team/grants/${person.userId}/${clientId}`;
    const access = (by: Process) => accessToClient(by, company, person.token, clientId);
    await assertChanges(access, [WRITES, READS], () => change(company, 'PUT', url, { access: 'read' }));
    await assertChanges(access, [READS, REACHES_NOTHING], () => change(company, 'DELETE', url));
  });

  test('an archived client is hidden from the next request until it is active again', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const person = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'read' } });
    const url = `/v1/team/clients/${clientId}`;
    const access = (by: Process) => accessToClient(by, company, person.token, clientId);
    await assertChanges(access, [READS, REACHES_NOTHING], () => change(company, 'DELETE', url));
    await assertChanges(access, [REACHES_NOTHING, READS], () =>
      change(company, 'PATCH', url, { state: 'active' }),
    );
  });

  test('an archived Team answers reads and returns 409 for writes until it is restored', async () => {
    const { company, person } = await addTo({ teamRole: 'member' });
    const url = `/v1/company/teams/${company.teamId}`;
    await assertChanges(writing(person), ['201', '409 team_archived'], () =>
      change(company, 'POST', `${url}/archive`),
    );
    for (const read of ['/v1/team', '/v1/memory/status', '/v1/memory/imports']) {
      assert.equal(await asking(read, person)(second), '200', read);
    }
    await assertChanges(writing(person), ['409 team_archived', '201'], () =>
      change(company, 'POST', `${url}/restore`),
    );
  });

  test('a deleted Team cannot be reached by anyone, not even its Owners', async () => {
    const { company, person } = await addTo({ teamRole: 'owner' });
    const { token } = await makeInvite(service, company);
    await change(company, 'POST', `/v1/company/teams/${company.teamId}/archive`);
    const teamsOf = async (by: Process) => {
      const answers = await Promise.all([
        via(by, person).ask.getSession(),
        via(by, company).ask.getSession(),
      ]);
      return answers.map((answer) => answer.json<Session>().teams.length);
    };
    assert.deepEqual(await teamsOf(second), [1, 1]);
    for (const caller of [person, company]) assert.equal(await asking('/v1/team', caller)(second), '200');
    await change(company, 'DELETE', `/v1/company/teams/${company.teamId}`);
    assert.deepEqual(await teamsOf(second), [0, 0]);
    for (const caller of [person, company]) {
      for (const url of ['/v1/team', '/v1/memory/status']) {
        assert.equal(await asking(url, caller)(second), '403 team_forbidden');
        assert.equal(await asking(url, caller)(service), '403 team_forbidden');
      }
    }
    assert.equal(outcome(await join(second, { token, password: PASSWORD })), '404 not_found');
  });
});

describe('the end of an open invite, seen by every API process', () => {
  test('an open invite returns 410 after its maker revoked it', async () => {
    const company = await service.company();
    const { token, invite } = await makeInvite(service, company);
    await change(company, 'DELETE', `/v1/team/invites/${invite.id}`);
    assert.equal(outcome(await join(second, { token, password: PASSWORD })), '410 token_revoked');
    const invitation = await makeInvitation(company);
    await change(company, 'DELETE', `/v1/company/invitations/${invitation.invite.id}`);
    const answer = await accept(second, { token: invitation.token, password: PASSWORD });
    assert.equal(outcome(answer), '410 token_revoked');
  });

  test('an open invite returns 410 after its maker lost the right to invite', async () => {
    const company = await service.company();
    for (const [ties, method, urlOf, payload] of [
      [{ teamRole: 'admin' }, 'PATCH', (id: string) => `/v1/team/members/${id}`, { role: 'member' }],
      [{ teamRole: 'admin' }, 'DELETE', (id: string) => `/v1/team/members/${id}`, {}],
      [{ teamRole: 'admin' }, 'DELETE', (id: string) => `/v1/company/members/${id}`, {}],
      [
        { companyRole: 'admin', companyGrant: 'full' },
        'DELETE',
        (id: string) => `/v1/company/grants/${id}/${company.teamId}`,
        {},
      ],
      [{ companyRole: 'owner' }, 'PATCH', (id: string) => `/v1/company/members/${id}`, { role: 'admin' }],
    ] as const) {
      const maker = await addPerson(service, company, ties);
      const { token } = await makeInvite(service, { ...company, headers: maker.headers } as SignedIn);
      const kept = await makeInvite(service, company);
      const url = urlOf(maker.userId);
      await change(company, method, url, payload);
      const answer = await join(second, { token, password: PASSWORD });
      assert.equal(outcome(answer), '410 token_revoked', `${method} ${url}`);
      assert.equal(outcome(await join(second, { token: kept.token, password: PASSWORD })), '201');
    }
  });
});
