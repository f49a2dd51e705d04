import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { join, newEmail } from '../support/invites.ts';
import { duringPause, openPausedApp, overlap } from '../support/paused-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const PASSWORD = 'a password of this test';
const ROUNDS = 20;

type Answer = Parameters<typeof outcome>[0];
type Asks = (by: Pick<TestApp, 'app'>) => PromiseLike<Answer>;

const removeFromCompany =
  (by: Caller, userId: string): Asks =>
  (app) =>
    via(app, by).ask.removeCompanyMember(userId);
const removeFromTeam =
  (by: Caller, userId: string): Asks =>
  (app) =>
    via(app, by).ask.removeTeamMember(userId);
const setCompanyRole =
  (by: Caller, userId: string, role: string): Asks =>
  (app) =>
    via(app, by).ask.changeCompanyRole(userId, { role });
const setTeamRole =
  (by: Caller, userId: string, role: string): Asks =>
  (app) =>
    via(app, by).ask.changeTeamRole(userId, { role });
const grantClient =
  (by: Caller, userId: string, clientId: string): Asks =>
  (app) =>
    via(app, by).ask.giveClientGrant(userId, clientId, { access: 'read' });

/** Like `outcome`, and also accepts an answer without a body. */
const told = (answer: Answer) => (answer.statusCode === 204 ? '204' : outcome(answer));

/** Sends both requests at the same time. */
async function atOnce(first: Asks, second: Asks): Promise<string[]> {
  return (await Promise.all([first(service), second(service)])).map(told);
}

/** Pauses the first request at a statement that contains this text, and sends the second, as `overlap` does. */
const overlapping = async (t: TestContext, text: string, first: Asks, second: Asks): Promise<string[]> =>
  (await overlap(t, service, text, first, second)).map(told);

function countOf(table: 'team_member' | 'client_grant', userId: string): Promise<number> {
  return database
    .query(`select from identity.${table} where user_id = $1`, [userId])
    .then(({ length }) => length);
}

const acceptOnce = async (token: string) => outcome(await join(service, { token, password: PASSWORD }));

describe('a removal from the Company that races a change in a Team', () => {
  const REMOVAL_ENDS_ROLES = 'delete from identity.team_member';

  /** A member of a Team, and an assertion that the Team has no role and no grant of theirs. */
  async function member() {
    const company = await service.company();
    const { userId } = await addPerson(service, company, { teamRole: 'member' });
    const assertGone = async () => {
      assert.equal(await countOf('team_member', userId), 0);
      assert.equal(await countOf('client_grant', userId), 0);
    };
    return { company, userId, clientId: await addClient(service, company), assertGone };
  }

  test('a removed member keeps no role and no grant, whichever request comes first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { company, userId, clientId, assertGone } = await member();
      const removal = removeFromCompany(company, userId);
      const change = [setTeamRole(company, userId, 'admin'), grantClient(company, userId, clientId)][
        round % 2
      ];
      const [removed, changed] = await atOnce(removal, change!);
      assert.equal(removed, '204');
      assert.match(changed ?? '', /^(200|404 not_found)$/);
      await assertGone();
    }
  });

  const CHANGES = {
    'Team role': ({ company, userId }) => setTeamRole(company, userId, 'admin'),
    'client grant': ({ company, userId, clientId }) => grantClient(company, userId, clientId),
  } satisfies Record<string, (of: Awaited<ReturnType<typeof member>>) => Asks>;

  for (const [what, changeOf] of Object.entries(CHANGES)) {
    test(`removing a member from the Company also deletes a ${what} that was given just before`, async (t) => {
      const about = await member();
      const removal = removeFromCompany(about.company, about.userId);
      const answers = await overlapping(t, 'memory.audit_event', changeOf(about), removal);
      assert.deepEqual(answers, ['200', '204']);
      await about.assertGone();
    });

    test(`giving a ${what} returns 404 after the removal of the member began`, async (t) => {
      const about = await member();
      const removal = removeFromCompany(about.company, about.userId);
      const answers = await overlapping(t, REMOVAL_ENDS_ROLES, removal, changeOf(about));
      assert.deepEqual(answers, ['204', '404 not_found']);
      await about.assertGone();
    });
  }
});

test('GET /v1/team does not count a member whose account is closed', async () => {
  const company = await service.company();
  const { userId } = await addPerson(service, company, { teamRole: 'owner' });
  const members = async () => (await company.api.getSelectedTeam()).members;
  const before = await members();
  await database.query('update identity.account set closed_at = now() where id = $1', [userId]);
  assert.equal(await members(), before - 1);
});

describe('an invite whose maker loses both the Company role and the Team membership', () => {
  /** Someone who may invite for two reasons, with an open invite, and what takes each of them. */
  async function maker() {
    const company = await service.company();
    const person = await addPerson(service, company, { companyRole: 'owner', teamRole: 'admin' });
    const body = { email: newEmail(), role: 'member' } as const;
    const made = await person.api.createInvite(body);
    return {
      token: made.token,
      demotion: setCompanyRole(company, person.userId, 'member'),
      removal: removeFromTeam(company, person.userId),
    };
  }

  test('the invite is revoked when the demotion and the removal run at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { token, demotion, removal } = await maker();
      assert.deepEqual(await atOnce(demotion, removal), ['200', '204']);
      assert.equal(await acceptOnce(token), '410 token_revoked');
    }
  });

  test('the invite is revoked when the demotion comes before the removal', async (t) => {
    const { token, demotion, removal } = await maker();
    assert.deepEqual(await overlapping(t, 'memory.audit_event', demotion, removal), ['200', '204']);
    assert.equal(await acceptOnce(token), '410 token_revoked');
  });

  test('the invite is revoked when the removal comes before the demotion', async (t) => {
    const { token, demotion, removal } = await maker();
    assert.deepEqual(await overlapping(t, 'memory.audit_event', removal, demotion), ['204', '200']);
    assert.equal(await acceptOnce(token), '410 token_revoked');
  });
});

describe('two Company Owners who act on each other at the same time', () => {
  async function two() {
    const company = await service.company();
    return { company, other: await addPerson(service, company, { companyRole: 'owner' }) };
  }

  test('both Owners can create a reset link for each other', async () => {
    const { company, other } = await two();
    const link =
      (by: Caller, userId: string): Asks =>
      (app) =>
        via(app, by).ask.createMemberResetLink(userId, {});
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await atOnce(link(company, other.userId), link(other, company.ownerId));
      assert.deepEqual(answers, ['201', '201']);
    }
  });

  test('one Owner removes the other, who then gets 401', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { company, other } = await two();
      const answers = await atOnce(
        removeFromCompany(company, other.userId),
        removeFromCompany(other, company.ownerId),
      );
      assert.deepEqual(answers.toSorted(), ['204', '401 unauthenticated']);
      const left = answers[0] === '204' ? company : other;
      const members = await left.all.listCompanyMembers();
      assert.deepEqual(
        members.map(({ role }) => role),
        ['owner'],
      );
    }
  });
});

describe('a request of a Company Owner whose target changes while it waits', () => {
  test('a Company grant returns 409 if its receiver is no longer an Admin', async (t) => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, { companyRole: 'admin' });
    const answer = await duringPause(
      await openPausedApp(t, service),
      (paused) => via(paused, company).ask.giveCompanyGrant(userId, company.teamId, { access: 'full' }),
      async () => assert.equal(told(await setCompanyRole(company, userId, 'member')(service)), '200'),
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
  const invite: Asks = (app) => via(app, owner).ask.createInvite({ email: newEmail(), role: 'member' });
  // The change pauses after it looked for open invites of the Owner, and before anyone sees that the role is gone.
  const demotion = setCompanyRole(company, owner.userId, 'member');
  const [changed, invited] = await overlapping(t, 'into memory.audit_event', demotion, invite);
  assert.equal(changed, '200');
  assert.match(invited ?? '', /^403 /);
  const invites = await database.query('select from identity.invite where company_id = $1', [
    company.companyId,
  ]);
  assert.equal(invites.length, 0);
});
