import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import {
  accept,
  accessToClient,
  addPasswordHolder,
  countGiven,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
  REACHES_NOTHING,
  READS,
  WRITES,
} from '../../support/invites.ts';
import { assertSameRefusal } from '../../support/refusals.ts';
import { askSession, outcome, signInBy } from '../../support/sign-in.ts';
import { addClient, addPerson, withoutRequestId } from '../../support/team.ts';

const service = await openTestApp();

const { app, database } = service;

const counts = (company: SignedIn) => countGiven(service, company);

describe('POST /v1/auth/join with an email without an account', () => {
  test('creates an account with the name and password, adds it to the Team and signs in', async () => {
    const company = await service.company();
    const { token, invite } = await makeInvite(service, company);
    const name = 'Zoë Ångström 山田';
    const answer = await join(service, { token, name });
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['set-cookie'], undefined);
    const { token: session, expiresAt, user, ...rest } = answer.json<Session>();
    assert.deepEqual({ email: user.email, name: user.name }, { email: invite.email, name });
    assert.deepEqual(rest, {
      company: { id: company.companyId, name: 'Test Company', role: 'member' },
      teams: [{ id: company.teamId, name: 'Test Team', state: 'active', role: 'member', access: 'member' }],
    });
    assert.deepEqual((await askSession(service, session)).json(), { expiresAt, user, ...rest });
    const login = await signInBy(service, invite.email, PASSWORD);
    assert.equal(login.json<Session>().user.id, user.id);
    assert.equal(outcome(await signInBy(service, invite.email, `${PASSWORD}!`)), '401 invalid_credentials');
  });

  test('normalizes the invited email', async () => {
    const company = await service.company();
    // The second begins with a letter that has one code point in lower case, and two in upper case.
    for (const email of [newEmail(), `\u01f0${newEmail()}`]) {
      const { token, invite } = await makeInvite(service, company, { email: `  ${email.toUpperCase()} ` });
      assert.equal(invite.email, email);
      const { user } = (await join(service, { token })).json<Session>();
      assert.equal(user.email, email);
      assert.equal(outcome(await signInBy(service, email, PASSWORD)), '200');
      assert.equal(outcome(await signInBy(service, ` ${email.toUpperCase()}`, PASSWORD)), '200');
    }
  });

  test('gives only the grants of the invite', async () => {
    const company = await service.company();
    const [read, written, neither] = [
      await addClient(service, company),
      await addClient(service, company),
      await addClient(service, company),
    ];
    const grants = [
      { clientId: read, access: 'read' as const },
      { clientId: written, access: 'write' as const },
    ];
    const { token } = await makeInvite(service, company, { grants });
    const session = (await join(service, { token })).json<Session>();
    const [joined] = await company.all.listTeamAudit({ kind: 'auth.join' });
    assert.deepEqual(joined?.detail['grants'], grants);
    assert.deepEqual(await accessToClient(service, company, session.token, read), READS);
    assert.deepEqual(await accessToClient(service, company, session.token, written), WRITES);
    assert.deepEqual(await accessToClient(service, company, session.token, neither), REACHES_NOTHING);
  });

  test('skips the grant on a client that has been archived', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { token } = await makeInvite(service, company, { grants: [{ clientId, access: 'write' }] });
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    assert.equal(outcome(await join(service, { token })), '201');
    assert.equal((await counts(company))['grants'], 0);
  });

  test('joins with the invited email even if the request has the session of another account', async () => {
    const company = await service.company();
    for (const authorization of ['Bearer of-no-worth', 'nonsense', company.headers.authorization]) {
      const { token, invite } = await makeInvite(service, company);
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/auth/join',
        headers: { authorization, 'memory-team': newId() },
        payload: { token, name: 'A newcomer', password: PASSWORD },
      });
      assert.equal(outcome(answer), '201', authorization);
      assert.equal(answer.json<Session>().user.email, invite.email);
    }
    assert.equal((await askSession(service, company.token)).statusCode, 200);
  });
});

describe('an invite that cannot be accepted', () => {
  test('a token that is unknown or of another kind returns the same 404', async () => {
    const company = await service.company();
    const invite = await makeInvite(service, company);
    const invitation = await makeInvitation(company);
    const password = PASSWORD;
    const before = await counts(company);
    const answers = await Promise.all([
      join(service, { token: invitation.token, password }),
      accept(service, { token: invite.token, password }),
      join(service, { token: 'of-no-worth', password }),
      accept(service, { token: 'of-no-worth', password }),
      // The hash that is stored is no token.
      join(service, { token: hashToken(invite.token).toString('hex'), password }),
      join(service, { token: company.token, password }),
    ]);
    await assertSameRefusal('404 not_found', answers);
    assert.deepEqual(await counts(company), before);
    assert.equal(outcome(await join(service, { token: invite.token, password })), '201');
    assert.equal(outcome(await accept(service, { token: invitation.token, password })), '201');
  });
});

describe('POST /v1/auth/join with an invalid body', () => {
  test('returns the same 400 for a short password, with or without an account', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const tokens = [
      (await makeInvite(service, company)).token,
      (await makeInvite(service, company, { email: person.email })).token,
      'of-no-worth',
    ];
    await assertSameRefusal(
      '400 invalid_request',
      tokens.map((token) => join(service, { token, password: 'eleven char' })),
    );
  });
});

describe('POST /v1/auth/join with the email of an account of the Company', () => {
  test('accepts the current password and keeps the name and the sessions', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email.toUpperCase() });
    const answer = await join(service, { token, name: 'Another name' });
    assert.equal(answer.statusCode, 201);
    const session = answer.json<Session>();
    assert.deepEqual(session.user, {
      id: person.userId,
      email: person.email,
      name: 'Someone',
      verified: false,
    });
    assert.deepEqual(columns(session.teams, 'id', 'role'), [[company.teamId, 'member']]);
    assert.notEqual(session.token, person.token);
    for (const mine of [session.token, person.token]) {
      assert.equal((await askSession(service, mine)).json<Session>().user.name, 'Someone');
    }
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '200');
  });

  test('rejects another password, changes nothing and leaves the token open', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email });
    const before = await counts(company);
    const wrong = await join(service, { token, password: 'a password of their choice' });
    assert.equal(outcome(wrong), '401 invalid_credentials');
    assert.deepEqual(await counts(company), before);
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '200');
    assert.equal(outcome(await join(service, { token })), '201');
  });

  test('answers for an account without a password like for a wrong password', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const unset = await addPerson(service, company, {});
    const attempts = [
      { email: person.email, password: `${PASSWORD}!` },
      { email: `person-${unset.userId}@example.com`, password: PASSWORD },
    ];
    const answers = await Promise.all(
      attempts.map(async ({ email, password }) => {
        const { token } = await makeInvite(service, company, { email });
        return join(service, { token, password });
      }),
    );
    assert.equal(outcome(answers[0]!), '401 invalid_credentials');
    const bodies = answers.map(({ body }) => withoutRequestId(body));
    assert.equal(new Set(bodies).size, 1, bodies.join('\n'));
    const shapes = answers.map(({ statusCode, headers }) => [statusCode, Object.keys(headers).sort()].join());
    assert.equal(new Set(shapes).size, 1, shapes.join('\n'));
    const { accounts, members, unused } = await counts(company);
    assert.deepEqual({ accounts, members, unused }, { accounts: 3, members: 1, unused: 2 });
  });

  test('makes an account for an email of another Company, and changes nothing there', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const stranger = await addPasswordHolder(service, other, { teamRole: 'member' });
    const before = await counts(other);
    const { token } = await makeInvite(service, company, { email: stranger.email });
    const own = 'a password of this Company';
    const joined = (await join(service, { token, name: 'A newcomer', password: own })).json<Session>();
    assert.equal(joined.company.id, company.companyId);
    assert.deepEqual([joined.user.email, joined.user.name], [stranger.email, 'A newcomer']);
    assert.notEqual(joined.user.id, stranger.userId);
    assert.deepEqual(await counts(other), before);
    const signedIn = async (password: string) =>
      (await signInBy(service, stranger.email, password)).json<Session>().company.id;
    assert.equal(await signedIn(own), company.companyId);
    assert.equal(await signedIn(PASSWORD), other.companyId);
  });

  test('never lowers the role in the Team or in the Company', async () => {
    const company = await service.company();
    for (const [held, invited, kept] of [
      ['member', 'admin', 'admin'],
      ['admin', 'member', 'admin'],
      ['owner', 'member', 'owner'],
      ['owner', 'admin', 'owner'],
    ] as const) {
      const person = await addPasswordHolder(service, company, { companyRole: 'admin' });
      const { token } = await makeInvite(service, company, { email: person.email, role: invited });
      // Given while the invite was open.
      await database.query(
        'insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, $4)',
        [company.companyId, company.teamId, person.userId, held],
      );
      const { company: inCompany, teams } = (await join(service, { token })).json<Session>();
      assert.deepEqual([inCompany.role, teams[0]?.role], ['admin', kept], `${held}, invited as ${invited}`);
    }
  });

  test('adds the grants of the invite to existing grants, and lowers none', async () => {
    const company = await service.company();
    const newClient = () => addClient(service, company);
    const [held, added, raised, kept] = [
      await newClient(),
      await newClient(),
      await newClient(),
      await newClient(),
    ];
    const grants = [
      { clientId: added, access: 'read' as const },
      { clientId: raised, access: 'write' as const },
      { clientId: kept, access: 'read' as const },
    ];
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email, grants });
    await database.query(
      `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'member')`,
      [company.companyId, company.teamId, person.userId],
    );
    await database.query(
      `insert into identity.client_grant (company_id, team_id, client_id, user_id, access)
       select $1, $2, c, $3, case c when $4 then 'read' else 'write' end from unnest($5::uuid[]) c`,
      [company.companyId, company.teamId, person.userId, raised, [held, raised, kept]],
    );
    assert.equal(outcome(await join(service, { token })), '201');
    for (const clientId of [held, raised, kept]) {
      assert.deepEqual(await accessToClient(service, company, person.token, clientId), WRITES);
    }
    assert.deepEqual(await accessToClient(service, company, person.token, added), READS);
  });
});

async function companyRole(token: string): Promise<string> {
  return (await askSession(service, token)).json<Session>().company.role;
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
    assert.deepEqual(session.user, {
      id: person.userId,
      email: person.email,
      name: 'Someone',
      verified: false,
    });
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

  test('accepts an invitation while a Team is archived', async () => {
    const company = await service.company();
    await database.query(`update identity.team set state = 'archived' where id = $1`, [company.teamId]);
    const { token } = await makeInvitation(company);
    assert.equal(outcome(await accept(service, { token })), '201');
  });
});
