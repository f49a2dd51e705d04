import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { databaseError, openFailingApp } from '../../support/failing-database.ts';
import { accept, addPasswordHolder, makeInvitation, PASSWORD } from '../../support/invites.ts';
import { askSession, makeResetLink, outcome, signInBy } from '../../support/sign-in.ts';
import { addPerson, withoutRequestId } from '../../support/team.ts';

const service = await openTestApp();
const { app, database } = service;

async function companyRole(token: string): Promise<string> {
  return (await askSession(service, token)).json<Session>().company.role;
}

/** The rows of a Company that accepting an invitation can change. */
function rowsOf(company: SignedIn) {
  return database.query(
    `select a.id, a.name, a.role, a.password_hash, (select count(*) from identity.session s where s.user_id = a.id) as sessions,
            (select count(*) from identity.invite i where i.company_id = $1 and i.used_at is null) as unused,
            (select count(*) from memory.audit_event e where e.company_id = $1 and e.kind = 'company.accept') as events
       from identity.account a where a.company_id = $1 order by a.id`,
    [company.companyId],
  );
}

describe('POST /v1/company/invitations/accept', () => {
  test('creates a Company Admin without a Team and signs in', async () => {
    const company = await service.company();
    const { token, invite } = await makeInvitation(company);
    const answer = await accept(service, { token, name: 'Ada' });
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { token: session, expiresAt, user, ...rest } = answer.json<Session>();
    assert.deepEqual({ email: user.email, name: user.name }, { email: invite.email, name: 'Ada' });
    assert.deepEqual(rest, {
      company: { id: company.companyId, name: 'Test Company', role: 'admin' },
      teams: [],
    });
    assert.deepEqual((await askSession(service, session)).json(), { expiresAt, user, ...rest });
    assert.equal(outcome(await signInBy(service, invite.email, PASSWORD)), '200');
  });

  test('makes a member of the Company an Admin at once, in all of their sessions', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const { token } = await makeInvitation(company, { email: person.email });
    const answer = await accept(service, { token, name: 'Another name' });
    const session = answer.json<Session>();
    assert.deepEqual(session.user, { id: person.userId, email: person.email, name: 'Someone' });
    assert.equal(session.company.role, 'admin');
    assert.deepEqual(columns(session.teams, 'id', 'role', 'access'), [[company.teamId, 'member', 'member']]);
    assert.notEqual(session.token, person.token);
    assert.equal(await companyRole(person.token), 'admin');
  });

  test('does not change the role of an Owner or an Admin', async () => {
    const company = await service.company();
    for (const role of ['owner', 'admin'] as const) {
      const person = await addPasswordHolder(service, company, {});
      const { token } = await makeInvitation(company, { email: person.email });
      // The role is given while the invitation is open.
      await database.query('update identity.account set role = $2 where id = $1', [person.userId, role]);
      const session = (await accept(service, { token })).json<Session>();
      assert.equal(session.company.role, role);
      assert.equal(await companyRole(person.token), role);
    }
  });

  test('does not give the new Admin the routes of Company Owners', async () => {
    const company = await service.company();
    const { token } = await makeInvitation(company);
    const session = (await accept(service, { token })).json<Session>();
    const asAdmin = { ...company, headers: { ...company.headers, authorization: `Bearer ${session.token}` } };
    await assert.rejects(makeResetLink(service, asAdmin), /company_role_required/);
  });

  test('returns the same 401 for a wrong password, an email of another Company and an unset password', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const person = await addPasswordHolder(service, company, {});
    const unset = await addPerson(service, company, {});
    const stranger = await addPasswordHolder(service, other, {});
    const attempts = [
      { email: person.email, password: `${PASSWORD}!` },
      { email: stranger.email, password: PASSWORD },
      { email: `person-${unset.userId}@example.com`, password: PASSWORD },
    ];
    const tokens = await Promise.all(
      attempts.map(async ({ email }) => (await makeInvitation(company, { email })).token),
    );
    const before = [await rowsOf(company), await rowsOf(other)];
    const answers = await Promise.all(
      attempts.map(({ password }, index) => accept(service, { token: tokens[index] ?? '', password })),
    );
    assert.equal(outcome(answers[0]!), '401 invalid_credentials');
    assert.equal(new Set(answers.map(({ statusCode }) => statusCode)).size, 1);
    assert.equal(new Set(answers.map(({ body }) => withoutRequestId(body))).size, 1);
    assert.deepEqual([await rowsOf(company), await rowsOf(other)], before);
    assert.equal(outcome(await accept(service, { token: tokens[0] ?? '' })), '201');
  });

  test('ignores the session that the request carries', async () => {
    const company = await service.company();
    for (const authorization of ['Bearer of-no-worth', company.headers.authorization]) {
      const { token, invite } = await makeInvitation(company);
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/company/invitations/accept',
        headers: { authorization },
        payload: { token, name: 'A newcomer', password: PASSWORD },
      });
      assert.equal(answer.json<Session>().user.email, invite.email);
    }
  });

  test('returns 400 for missing, invalid or unknown fields and leaves the token unused', async () => {
    const company = await service.company();
    const { token } = await makeInvitation(company);
    const whole = { token, name: 'A newcomer', password: PASSWORD };
    const url = '/v1/company/invitations/accept';
    for (const payload of [
      {},
      { token, name: 'x' },
      { ...whole, password: 'eleven char' },
      { ...whole, name: '' },
      { ...whole, role: 'owner' },
      { ...whole, companyId: newId() },
    ]) {
      const answer = await app.inject({ method: 'POST', url, payload });
      assert.equal(outcome(answer), '400 invalid_request', JSON.stringify(payload));
    }
    assert.equal(outcome(await app.inject({ method: 'POST', url, payload: whole })), '201');
  });

  test('accepts an invitation while a Team is archived', async () => {
    const company = await service.company();
    await database.query(`update identity.team set state = 'archived' where id = $1`, [company.teamId]);
    const { token } = await makeInvitation(company);
    assert.equal(outcome(await accept(service, { token })), '201');
  });
});

describe('the audit event of an accepted invitation', () => {
  test('records the account and the invitation once, without secrets', async () => {
    const company = await service.company();
    const { token, invite } = await makeInvitation(company);
    const session = (await accept(service, { token })).json<Session>();
    const events = await database.query<Record<string, unknown> & { row: string }>(
      `select actor_id as actor, team_id as team, subject_id as subject, detail, e::text as row
         from memory.audit_event e where company_id = $1 and kind = 'company.accept'`,
      [company.companyId],
    );
    const [made] = await database.query<{ id: string }>(
      'select id from identity.session where token_hash = $1',
      [hashToken(session.token)],
    );
    const { id } = session.user;
    const detail = { inviteId: invite.id, role: 'admin', grants: [], newAccount: true, sessionId: made?.id };
    assert.deepEqual(
      events.map(({ actor, team, subject, detail: told }) => ({ actor, team, subject, detail: told })),
      [{ actor: id, team: null, subject: id, detail }],
    );
    const rows = events.map(({ row }) => row).join();
    for (const secret of [token, session.token, PASSWORD]) assert.ok(!rows.includes(secret));
  });

  test('rolls back the role, the session and the use of the token if the audit event fails', async (t) => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const tokens = [
      (await makeInvitation(company)).token,
      (await makeInvitation(company, { email: person.email })).token,
    ];
    const broken = await openFailingApp(t, service, (text) =>
      text.includes('into memory.audit_event') ? databaseError('42P01') : null,
    );
    const before = await rowsOf(company);
    for (const token of tokens) {
      const answer = await accept({ app: broken }, { token });
      assert.equal(outcome(answer), '500 internal_error');
    }
    assert.deepEqual(await rowsOf(company), before);
    for (const token of tokens) {
      assert.equal(outcome(await accept(service, { token })), '201');
    }
  });
});
