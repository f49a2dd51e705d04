import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { accept, addPasswordHolder, makeInvitation, PASSWORD } from '../../support/invites.ts';
import { askSession, outcome, signInBy } from '../../support/sign-in.ts';

const service = await openTestApp();
const { database } = service;

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

  test('accepts an invitation while a Team is archived', async () => {
    const company = await service.company();
    await database.query(`update identity.team set state = 'archived' where id = $1`, [company.teamId]);
    const { token } = await makeInvitation(company);
    assert.equal(outcome(await accept(service, { token })), '201');
  });
});
