import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import {
  accept,
  accessToClient,
  addPasswordHolder,
  expireInvite,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  outcomeOfJoin,
  PASSWORD,
  type PasswordHolder,
  WRITES,
} from '../../support/invites.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { askSession, outcome, signInBy } from '../../support/sign-in.ts';
import { addClient, addTeam, archiveTeam } from '../../support/team.ts';

const service = await openTestApp();

const { app } = service;

const JOIN = '/v1/auth/join';
const ACCEPT = '/v1/company/invitations/accept';

/** Accepts with a session alone. */
const acceptWith = (session: string, token: string, url = JOIN, body: object = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${session}` },
    payload: { token, ...body },
  });

const sessionsOf = ({ token }: PasswordHolder) =>
  app.inject({ url: '/v1/auth/sessions', headers: { authorization: `Bearer ${token}` } });

/** A member of the Company without a role in the Team, and an invite for the address of their account. */
async function invited(company: SignedIn, wish: Parameters<typeof makeInvite>[2] = {}) {
  const person = await addPasswordHolder(service, company, {});
  const { token, invite } = await makeInvite(service, company, { email: person.email, ...wish });
  return { person, token, invite };
}

describe('an invite that is accepted with the session of the invited person', () => {
  test('gives the role and the grants, answers as GET session does, and begins no session', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const grants = [{ clientId, access: 'write' as const }];
    const { person, token, invite } = await invited(company, { grants });
    const sessions = (await sessionsOf(person)).json<{ items: { id: string }[] }>().items;
    const { events } = await recordedBy(service, company, async () => {
      const answer = await acceptWith(person.token, token);
      assert.equal(outcome(answer), '200');
      assert.equal(answer.headers['set-cookie'], undefined);
      assert.deepEqual(answer.json(), (await askSession(service, person.token)).json());
      assert.deepEqual(columns(answer.json<Session>().teams, 'id', 'role'), [[company.teamId, 'member']]);
    });
    const detail = {
      inviteId: invite.id,
      role: 'member',
      grants,
      newAccount: false,
      sessionId: sessions[0]?.id,
    };
    assert.deepEqual(columns(events, 'kind', 'subjectId', 'detail'), [['auth.join', person.userId, detail]]);
    assert.deepEqual(await accessToClient(service, company, person.token, clientId), WRITES);
    assert.equal((await sessionsOf(person)).json<{ items: object[] }>().items.length, sessions.length);
    assert.equal(await outcomeOfJoin(service, token), '410 token_used');
    assert.equal(outcome(await acceptWith(person.token, token)), '410 token_used');
  });

  test('makes a Company Admin if it is an invitation', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvitation(company, { email: person.email });
    assert.equal(outcome(await acceptWith(person.token, token, JOIN)), '404 not_found');
    const answer = await acceptWith(person.token, token, ACCEPT);
    assert.equal(outcome(answer), '200');
    assert.equal(answer.json<Session>().company.role, 'admin');
    assert.deepEqual(answer.json(), (await askSession(service, person.token)).json());
  });

  test('lists the Team among the others, with the higher of two roles', async () => {
    const company = await service.company();
    const other = { ...company, teamId: await addTeam(service, company) };
    const person = await addPasswordHolder(service, company, { teamRole: 'admin' });
    for (const [at, role] of [
      [company, 'member'],
      [other, 'admin'],
    ] as const) {
      const { teamId } = at;
      await service.database.query(
        `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'member')
         on conflict do nothing`,
        [company.companyId, other.teamId, person.userId],
      );
      const { token } = await makeInvite(service, at, { email: person.email, role: 'owner' });
      await service.database.query('update identity.invite set role = $2 where email = $1', [
        person.email,
        role,
      ]);
      const answer = await acceptWith(person.token, token);
      assert.equal(outcome(answer), '200', teamId);
      assert.deepEqual(answer.json(), (await askSession(service, person.token)).json());
      assert.equal(answer.json<Session>().teams.find(({ id }) => id === teamId)?.role, 'admin');
    }
  });

  test('works with the cookie of the console, only together with its header', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    const signedIn = await app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      headers: { 'memory-console': '1' },
      payload: { email: person.email, password: PASSWORD, cookie: true },
    });
    const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
    const ask = (headers: Record<string, string>) =>
      app.inject({ method: 'POST', url: JOIN, headers: { cookie, ...headers }, payload: { token } });
    assert.equal(outcome(await ask({})), '401 unauthenticated');
    assert.equal(
      outcome(await ask({ 'memory-console': '1', authorization: 'Bearer nothing' })),
      '401 unauthenticated',
    );
    const answer = await ask({ 'memory-console': '1' });
    assert.equal(outcome(answer), '200');
    assert.equal(answer.headers['set-cookie'], undefined);
  });

  test('is refused to everybody else, and stays open', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const { person, token } = await invited(company);
    const colleague = await addPasswordHolder(service, company, {});
    const stranger = await addPasswordHolder(service, other, {});
    // It is for an address of the stranger's, in another Company.
    const forStranger = await makeInvite(service, company, { email: stranger.email });
    const invitation = await makeInvitation(company, { email: stranger.email });
    await recordsNothing(service, other, () =>
      recordsNothing(service, company, async () => {
        for (const [session, link, url] of [
          [colleague.token, token, JOIN],
          [company.token, token, JOIN],
          [stranger.token, token, JOIN],
          [stranger.token, forStranger.token, JOIN],
          [stranger.token, invitation.token, ACCEPT],
          [API_TOKEN, token, JOIN],
        ] as const)
          assert.equal(outcome(await acceptWith(session, link, url)), '403 forbidden');
      }),
    );
    assert.equal(outcome(await acceptWith(person.token, token)), '200');
  });

  test('follows the account to a new address, and not the address to a new account', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    await person.api.changeAccount({ email: newEmail(), password: PASSWORD });
    assert.equal(outcome(await acceptWith(person.token, token)), '403 forbidden');
    const taker = await addPasswordHolder(service, company, {});
    await taker.api.changeAccount({ email: person.email, password: PASSWORD });
    assert.equal(outcome(await acceptWith(person.token, token)), '403 forbidden');
    assert.equal(outcome(await acceptWith(taker.token, token)), '200');
  });

  test('is closed to agent tokens', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, person, company);
    const { token } = await makeInvite(service, company, { email: person.email, role: 'admin' });
    assert.equal(outcome(await acceptWith(agent.token, token)), '403 forbidden');
    assert.equal(outcome(await acceptWith(person.token, token)), '200');
  });

  test('is refused without a credential, and with one that is not valid', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    const none = await app.inject({ method: 'POST', url: JOIN, payload: { token } });
    assert.equal(outcome(none), '401 unauthenticated');
    assert.match(none.json<{ detail: string }>().detail, /name and a password/);
    assert.equal(outcome(await acceptWith('of-no-worth', token)), '401 unauthenticated');
    await company.api.removeCompanyMember(person.userId);
    assert.equal(outcome(await acceptWith(person.token, token)), '401 unauthenticated');
  });

  test('tells of its token what a password would: unknown, used, expired or revoked', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const make = () => makeInvite(service, company, { email: person.email });
    const expired = await make();
    await expireInvite(service, expired.token);
    const revoked = await make();
    await company.api.revokeInvite(revoked.invite.id);
    assert.equal(outcome(await acceptWith(person.token, 'of-no-worth')), '404 not_found');
    assert.equal(outcome(await acceptWith(person.token, expired.token)), '410 token_expired');
    assert.equal(outcome(await acceptWith(person.token, revoked.token)), '410 token_revoked');
  });

  test('is refused by an archived Team, and stays open', async () => {
    const company = await service.company();
    const there = { ...company, teamId: await addTeam(service, company) };
    const { person, token } = await invited(there);
    await archiveTeam(service, there.teamId);
    assert.equal(outcome(await acceptWith(person.token, token)), '409 team_archived');
    await company.api.restoreTeam(there.teamId);
    assert.equal(outcome(await acceptWith(person.token, token)), '200');
  });

  test('is used once by requests that race, with a password or without', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => acceptWith(person.token, token)),
      ...Array.from({ length: 4 }, () => join(service, { token })),
    ]);
    const outcomes = answers.map(outcome);
    assert.equal(outcomes.filter((one) => one === '200' || one === '201').length, 1, outcomes.join());
    assert.equal(outcomes.filter((one) => one === '410 token_used').length, 7, outcomes.join());
  });
});

describe('a password in the request', () => {
  test('counts in place of the session that is sent with it', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    const colleague = await addPasswordHolder(service, company, {});
    const body = { name: 'Someone', password: PASSWORD };
    const answer = await acceptWith(colleague.token, token, JOIN, body);
    assert.equal(outcome(answer), '201');
    assert.equal(answer.json<Session>().user.id, person.userId);
    const again = await makeInvite(service, company, { email: person.email, role: 'admin' });
    const wrong = await acceptWith(person.token, again.token, JOIN, { ...body, password: `${PASSWORD}!` });
    assert.equal(outcome(wrong), '401 invalid_credentials');
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '200');
  });

  test('needs a name, and a name or a cookie needs a password', async () => {
    const company = await service.company();
    const { person, token } = await invited(company);
    const invitation = await makeInvitation(company);
    for (const [url, link] of [
      [JOIN, token],
      [ACCEPT, invitation.token],
    ] as const) {
      assertInvalid(await acceptWith(person.token, link, url, { password: PASSWORD }), '/name');
      assertInvalid(await acceptWith(person.token, link, url, { name: 'Someone' }), '/name');
      assertInvalid(await acceptWith(person.token, link, url, { cookie: true }), '/cookie');
    }
    assert.equal(outcome(await accept(service, { token: invitation.token })), '201');
  });
});
