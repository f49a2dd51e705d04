import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import {
  accessToClient,
  addPasswordHolder,
  countGiven,
  join,
  makeInvite,
  PASSWORD,
  READS,
  WRITES,
} from '../../support/invites.ts';
import { askSession, outcome, signInBy } from '../../support/sign-in.ts';
import { addClient, addPerson, withoutRequestId } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;

const counts = (company: SignedIn) => countGiven(service, company);

describe('POST /v1/auth/join with the email of an account of the Company', () => {
  test('accepts the current password and keeps the name and the sessions', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email.toUpperCase() });
    const answer = await join(service, { token, name: 'Another name' });
    assert.equal(answer.statusCode, 201);
    const session = answer.json<Session>();
    assert.deepEqual(session.user, { id: person.userId, email: person.email, name: 'Someone' });
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

  test('answers for an account of another Company or without a password like for a wrong password', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const person = await addPasswordHolder(service, company, {});
    const unset = await addPerson(service, company, {});
    const stranger = await addPasswordHolder(service, other, { teamRole: 'member' });
    const attempts = [
      { email: person.email, password: `${PASSWORD}!` },
      { email: stranger.email, password: PASSWORD },
      { email: `person-${unset.userId}@example.com`, password: PASSWORD },
    ];
    const before = await counts(other);
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
    assert.deepEqual(await counts(other), before);
    const { accounts, members, unused } = await counts(company);
    assert.deepEqual({ accounts, members, unused }, { accounts: 3, members: 1, unused: 3 });
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
