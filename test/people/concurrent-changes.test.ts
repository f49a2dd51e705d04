import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type Answer, via } from '../support/client/client.ts';
import { newEmail, outcomeOfJoin } from '../support/invites.ts';
import { duringPause, openPausedApp, overlap } from '../support/paused-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

type Asks = (to: Pick<TestApp, 'app'>) => PromiseLike<Answer>;

/** Pauses the first request at a statement that contains this text, and sends the second, as `overlap` does. */
const overlapping = async (t: TestContext, text: string, first: Asks, second: Asks): Promise<string[]> =>
  (await overlap(t, service, text, first, second)).map(outcome);

/** What a removed member must not keep. */
const GIVEN: Record<string, (by: Caller, userId: string, clientId: string) => PromiseLike<Answer>> = {
  'Team role': ({ ask }, userId) => ask.changeTeamRole(userId, { role: 'admin' }),
  'client grant': ({ ask }, userId, clientId) => ask.giveClientGrant(userId, clientId, { access: 'read' }),
};

for (const [what, give] of Object.entries(GIVEN)) {
  /** A member of a Team, what gives them something and what removes them, and what must be true in the end. */
  const open = async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, { teamRole: 'member' });
    const clientId = await addClient(service, company);
    const change: Asks = (to) => give(via(to, company), userId, clientId);
    const removal: Asks = (to) => via(to, company).ask.removeCompanyMember(userId);
    const assertGone = async () => {
      for (const table of ['team_member', 'client_grant']) {
        const rows = await database.query(`select from identity.${table} where user_id = $1`, [userId]);
        assert.equal(rows.length, 0, table);
      }
    };
    return { change, removal, assertGone };
  };

  test(`removing a member from the Company also deletes a ${what} that was given just before`, async (t) => {
    const { change, removal, assertGone } = await open();
    assert.deepEqual(await overlapping(t, 'memory.audit_event', change, removal), ['200', '204']);
    await assertGone();
  });

  test(`giving a ${what} returns 404 after the removal of the member began`, async (t) => {
    const { change, removal, assertGone } = await open();
    const answers = await overlapping(t, 'delete from identity.team_member', removal, change);
    assert.deepEqual(answers, ['204', '404 not_found']);
    await assertGone();
  });
}

for (const order of [
  'the Company role, then the Team membership',
  'the Team membership, then the Company role',
]) {
  test(`an invite is revoked when its maker loses ${order} at the same time`, async (t) => {
    const company = await service.company();
    const { api, userId } = await addPerson(service, company, { companyRole: 'owner', teamRole: 'admin' });
    const { token } = await api.createInvite({ email: newEmail(), role: 'member' });
    const demotion: Asks = (to) => via(to, company).ask.changeCompanyRole(userId, { role: 'member' });
    const removal: Asks = (to) => via(to, company).ask.removeTeamMember(userId);
    const isDemotedFirst = order.startsWith('the Company');
    const [first, second] = isDemotedFirst ? [demotion, removal] : [removal, demotion];
    const answers = await overlapping(t, 'memory.audit_event', first, second);
    assert.deepEqual(answers, isDemotedFirst ? ['200', '204'] : ['204', '200']);
    assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
  });
}

test('two Owners can create a reset link for each other at the same time', async () => {
  const company = await service.company();
  const other = await addPerson(service, company, { companyRole: 'owner' });
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([
      company.ask.createMemberResetLink(other.userId, {}),
      other.ask.createMemberResetLink(company.ownerId, {}),
    ]);
    assert.deepEqual(answers.map(outcome), ['201', '201']);
  }
});

describe('a request of a Company Owner whose target changes while it waits', () => {
  test('a Company grant returns 409 if its receiver is no longer an Admin', async (t) => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, { companyRole: 'admin' });
    const answer = await duringPause(
      await openPausedApp(t, service),
      (paused) => via(paused, company).ask.giveCompanyGrant(userId, company.teamId, { access: 'full' }),
      () => company.api.changeCompanyRole(userId, { role: 'member' }),
    );
    assert.equal(outcome(answer), '409 conflict');
  });

  test('restoring a Team returns 404 if the Team was deleted', async (t) => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    await archiveTeam(service, teamId);
    const answer = await duringPause(
      await openPausedApp(t, service),
      (paused) => via(paused, company).ask.restoreTeam(teamId),
      () => company.ask.deleteTeam(teamId),
    );
    assert.equal(outcome(answer), '404 not_found');
  });
});

test('an invite waits for an unfinished change of its caller’s role', async (t) => {
  const company = await service.company();
  const owner = await addPerson(service, company, { companyRole: 'owner' });
  const invite: Asks = (to) => via(to, owner).ask.createInvite({ email: newEmail(), role: 'member' });
  // The change pauses after it looked for open invites of the Owner, and before anyone sees that the role is gone.
  const demotion: Asks = (to) => via(to, company).ask.changeCompanyRole(owner.userId, { role: 'member' });
  const [changed, invited] = await overlapping(t, 'into memory.audit_event', demotion, invite);
  assert.equal(changed, '200');
  assert.match(invited ?? '', /^403 /);
  assert.deepEqual(await company.all.listInvites(), []);
});
