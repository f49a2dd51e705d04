import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import {
  expireInvite,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  outcomeOfJoin,
} from '../../support/invites.ts';
import { duringPause, openPausedApp } from '../../support/paused-app.ts';
import { assertSameRefusal } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { assertStablePages } from '../../support/stable-pages.ts';
import { addPerson, addTeam, archiveTeam, type Caller } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;
const URL = '/v1/team/invites';

const list = (caller: Caller) => caller.all.listInvites();
const withdraw = (caller: Caller, id: string) => caller.ask.revokeInvite(id);

/** One invite of each state, made by an Admin of the Team. */
async function oneOfEach(company: SignedIn) {
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  const make = async (email = newEmail()) => await admin.api.createInvite({ email, role: 'member' });
  const [used, expired, revoked, open] = [await make(), await make(), await make(), await make()];
  assert.equal(await outcomeOfJoin(service, used.token), '201');
  await expireInvite(service, expired.token);
  assert.equal((await withdraw(company, revoked.invite.id)).statusCode, 204);
  return { admin, make, used, expired, revoked, open };
}

describe('GET /v1/team/invites', () => {
  test('returns the state and the maker of each invite, newest first, to callers with Full access', async () => {
    const company = await service.company();
    await makeInvite(service, { ...company, teamId: await addTeam(service, company) });
    await makeInvitation(company);
    const { admin, used, expired, revoked, open } = await oneOfEach(company);
    const granted = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    for (const caller of [company, admin, granted]) {
      assert.deepEqual(
        (await list(caller)).map(({ id, state, createdBy }) => ({ id, state, createdBy })),
        [
          { id: open.invite.id, state: 'open', createdBy: admin.userId },
          { id: revoked.invite.id, state: 'revoked', createdBy: admin.userId },
          { id: expired.invite.id, state: 'expired', createdBy: admin.userId },
          { id: used.invite.id, state: 'used', createdBy: admin.userId },
        ],
      );
    }
    for (const ties of [{ teamRole: 'member' }, { companyRole: 'admin', companyGrant: 'read' }] as const) {
      const caller = await addPerson(service, company, ties);
      for (const query of ['', '?limit=0']) {
        assert.equal(outcome(await caller.send('GET', `${URL}${query}`)), '403 full_access_required');
      }
    }
  });

  test('shows an expired invite as expired even after it was replaced', async () => {
    const company = await service.company();
    const { expired, make } = await oneOfEach(company);
    const { email } = expired.invite;
    assert.equal(outcome(await join(service, { token: expired.token })), '410 token_expired');
    const newer = await make(email);
    const states = (await list(company))
      .filter((one) => one.email === email)
      .map(({ id, state }) => [id, state]);
    assert.deepEqual(states, [
      [newer.invite.id, 'open'],
      [expired.invite.id, 'expired'],
    ]);
  });

  test('returns stable pages while invites are added', async () => {
    const company = await service.company();
    const { make } = await oneOfEach(company);
    await assertStablePages(company, URL, () => make());
  });
});

describe('DELETE /v1/team/invites/:id', () => {
  test('revokes the invite and writes one audit event', async () => {
    const company = await service.company();
    const { open } = await oneOfEach(company);
    const { id } = open.invite;
    const { events, text } = await recordedBy(service, company, async () => {
      const answer = await withdraw(company, id.toUpperCase());
      assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    });
    assert.equal(await outcomeOfJoin(service, open.token), '410 token_revoked');
    assert.deepEqual(events, [
      {
        kind: 'team.invite_revoke',
        actorId: company.ownerId,
        teamId: company.teamId,
        subjectType: 'invite',
        subjectId: id,
        detail: {},
      },
    ]);
    assert.ok(!text.includes(open.token));
  });

  test('returns 409 for an invite that is used, expired or revoked', async () => {
    const company = await service.company();
    const { used, expired, revoked } = await oneOfEach(company);
    const before = await list(company);
    await recordsNothing(service, company, async () => {
      for (const { invite } of [used, expired, revoked]) {
        assert.equal(outcome(await withdraw(company, invite.id)), '409 conflict', invite.state);
      }
    });
    assert.deepEqual(await list(company), before);
  });

  test('returns the same 404 for every id that is not an invite of the Team', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const { open } = await oneOfEach(company);
    const others = [
      await makeInvite(service, { ...company, teamId: await addTeam(service, company) }),
      await makeInvite(service, stranger),
      await makeInvitation(company),
    ];
    const ids = [newId(), 'no id at all', open.token, ...others.map(({ invite }) => invite.id)];
    const answers = ids.map((id) => withdraw(company, encodeURIComponent(id)));
    await assertSameRefusal('404 not_found', answers);
    const revoked = await database.query(
      'select from identity.invite where id = any ($1::uuid[]) and revoked_at is not null',
      [others.map(({ invite }) => invite.id)],
    );
    assert.deepEqual(revoked, []);
  });
});

test('an archived Team rejects new invites, but lists and revokes existing ones', async () => {
  const company = await service.company();
  const { open } = await oneOfEach(company);
  await archiveTeam(service, company.teamId);
  const before = await list(company);
  const { events } = await recordedBy(service, company, async () => {
    for (const email of [newEmail(), open.invite.email, company.ownerEmail]) {
      const answer = await company.ask.createInvite({ email, role: 'admin' });
      assert.equal(outcome(answer), '409 team_archived');
    }
    assert.deepEqual(await list(company), before);
    assert.equal((await withdraw(company, open.invite.id)).statusCode, 204);
  });
  assert.deepEqual(column(events, 'kind'), ['team.invite_revoke']);
  await database.query(`update identity.team set state = 'active' where id = $1`, [company.teamId]);
  assert.equal(await outcomeOfJoin(service, open.token), '410 token_revoked');
});

describe('a caller who loses the right to invite during the request', () => {
  for (const [how, refusal, ties, lose] of [
    [
      'by a role in the Team',
      '403 full_access_required',
      { teamRole: 'admin' },
      (company: SignedIn, userId: string) => company.ask.changeTeamRole(userId, { role: 'member' }),
    ],
    [
      'by removal from the Team',
      '403 team_forbidden',
      { teamRole: 'admin' },
      (company: SignedIn, userId: string) => company.ask.removeTeamMember(userId),
    ],
    [
      'by a role in the Company',
      '403 team_forbidden',
      { companyRole: 'owner' },
      (company: SignedIn, userId: string) => company.ask.changeCompanyRole(userId, { role: 'member' }),
    ],
    [
      'by a Company grant',
      '403 full_access_required',
      { companyRole: 'admin', companyGrant: 'full' },
      (company: SignedIn, userId: string) =>
        company.ask.giveCompanyGrant(userId, company.teamId, { access: 'read' }),
    ],
    [
      'by closing the account',
      '401 unauthenticated',
      { teamRole: 'admin' },
      (company: SignedIn, userId: string) => company.ask.removeCompanyMember(userId),
    ],
  ] as const) {
    test(`creates no invite if the right is lost ${how}`, async (t) => {
      const company = await service.company();
      const person = await addPerson(service, company, ties);
      const answer = await duringPause(
        await openPausedApp(t, service),
        (paused) => via(paused, person).ask.createInvite({ email: newEmail(), role: 'member' }),
        async () => {
          const lost = await lose(company, person.userId);
          assert.ok(lost.statusCode < 300, lost.body);
        },
      );
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await list(company), []);
    });
  }
});
