import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { ask, recordedBy } from '../../support/company.ts';
import { openFailingApp } from '../../support/failing-database.ts';
import { duringPause } from '../../support/held-app.ts';
import { newEmail } from '../../support/invites.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addPerson, addTeam } from '../../support/team.ts';

/**
 * What a role brings ends with the role. A request that was under way when the role was taken must not leave behind
 * what the loss of the role would have ended: its caller was resolved before, and it comes to act after.
 */
const service = await openTestApp();
const { database } = service;

async function setRole(company: SignedIn, userId: string, role: string): Promise<void> {
  const answer = await ask(service, company, 'PATCH', `/v1/company/members/${userId}`, { role });
  assert.equal(answer.statusCode, 200, answer.body);
}

function countOf(table: 'invite' | 'access_request' | 'team', { companyId }: SignedIn): Promise<number> {
  return database
    .query(`select from identity.${table} where company_id = $1`, [companyId])
    .then(({ length }) => length);
}

describe('a request whose caller or target changes while it waits', () => {
  test('returns 403 for an access request if the caller is no longer an Admin', async (t) => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const body = { teamId: company.teamId, access: 'full' };
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, admin, 'POST', '/v1/company/access-requests', body),
      () => setRole(company, admin.userId, 'member'),
    );
    assert.equal(outcome(answer), '403 company_role_required');
    assert.equal(await countOf('access_request', company), 0);
  });

  test('returns 403 for an invitation if the caller is no longer an Owner', async (t) => {
    const company = await service.company();
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, owner, 'POST', '/v1/company/invitations', { email: newEmail() }),
      () => setRole(company, owner.userId, 'admin'),
    );
    assert.equal(outcome(answer), '403 company_role_required');
    assert.equal(await countOf('invite', company), 0);
  });

  test('returns 403 for an invite if the caller lost the Company grant with the role', async (t) => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    const body = { email: newEmail(), role: 'member' };
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, admin, 'POST', '/v1/team/invites', body),
      () => setRole(company, admin.userId, 'member'),
    );
    assert.equal(outcome(answer), '403 team_forbidden');
    assert.equal(await countOf('invite', company), 0);
  });

  test('returns 403 for a new Team with an invited owner if the caller is no longer an Admin', async (t) => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const body = { name: 'A new Team', ownerEmail: newEmail() };
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, admin, 'POST', '/v1/company/teams', body),
      () => setRole(company, admin.userId, 'member'),
    );
    assert.equal(outcome(answer), '403 company_role_required');
    assert.deepEqual([await countOf('team', company), await countOf('invite', company)], [1, 0]);
  });

  test('returns 401 for a new Team if the caller was removed', async (t) => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const { events } = await recordedBy(service, company, async () => {
      const answer = await duringPause(
        await openPausedApp(t, service),
        (held) => ask(held, admin, 'POST', '/v1/company/teams', { name: 'A new Team' }),
        () => ask(service, company, 'DELETE', `/v1/company/members/${admin.userId}`),
      );
      assert.equal(outcome(answer), '401 unauthenticated');
    });
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['company.member_remove'],
    );
    assert.equal(await countOf('team', company), 1);
  });

  test('returns 409 for a Company grant if its receiver is no longer an Admin', async (t) => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const url = `/v1/company/grants/${admin.userId}/${company.teamId}`;
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, company, 'PUT', url, { access: 'full' }),
      () => setRole(company, admin.userId, 'member'),
    );
    assert.equal(outcome(answer), '409 conflict');
  });

  test('returns 404 for restoring a Team that was deleted', async (t) => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    await database.query(`update identity.team set state = 'archived' where id = $1`, [teamId]);
    const answer = await duringPause(
      await openPausedApp(t, service),
      (held) => ask(held, company, 'POST', `/v1/company/teams/${teamId}/restore`),
      () => ask(service, company, 'DELETE', `/v1/company/teams/${teamId}`),
    );
    assert.equal(outcome(answer), '404 not_found');
  });
});

test('an invite waits for an unfinished change of its caller’s role', async (t) => {
  const company = await service.company();
  const owner = await addPerson(service, company, { companyRole: 'owner' });
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  // Held when the open invites of the Owner were looked for, and before anyone sees that the role is gone.
  const app = await openFailingApp(t, service, async (text) => {
    if (!text.includes('into memory.audit_event')) return null;
    reached.resolve();
    await released.promise;
    return null;
  });
  const change = { role: 'member' };
  const changed = Promise.resolve(
    ask({ app }, company, 'PATCH', `/v1/company/members/${owner.userId}`, change),
  );
  await reached.promise;
  let answered = false;
  const body = { email: newEmail(), role: 'member' };
  const invited = Promise.resolve(ask(service, owner, 'POST', '/v1/team/invites', body)).finally(() => {
    answered = true;
  });
  const waits = () =>
    database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%identity.account%for share%'`,
    );
  // The embedded database does one transaction after the other anyway.
  while (database.backend === 'postgres' && !answered && (await waits()).length === 0);
  released.resolve();
  assert.equal((await changed).statusCode, 200);
  assert.equal((await invited).statusCode, 403);
  assert.equal(await countOf('invite', company), 0);
});
