import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { CompanyGrant, Invite } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { join, newEmail } from '../support/invites.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Person } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const URL = '/v1/company/grants';

const give = (company: SignedIn, userId: string, teamId: string, access: string) =>
  company.ask.giveCompanyGrant(userId, teamId, { access });
const take = (company: SignedIn, userId: string, teamId: string) =>
  company.ask.revokeCompanyGrant(userId, teamId);
const grants = (company: SignedIn, limit?: number) => company.readAll<CompanyGrant>(URL, limit);
const addAdmin = (company: SignedIn) => addPerson(service, company, { companyRole: 'admin' });

async function accessOf({ token }: Person, teamId: string): Promise<string | undefined> {
  const { teams } = (await askSession(service, token)).json<Session>();
  return teams.find(({ id }) => id === teamId)?.access;
}

async function invite(caller: Person): Promise<{ invite: Invite; token: string }> {
  return await caller.api.createInvite({ email: newEmail(), role: 'member' });
}

describe('PUT /v1/company/grants/:userId/:teamId', () => {
  test('gives a Company Admin read or full access to the Team from the next request on', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const clientId = await addClient(service, company);
    const write = () => admin.ask.ingestSource({ title: 'x', text: newId() });
    assert.equal(outcome(await write()), '403 team_forbidden');
    const answer = await give(company, admin.userId.toUpperCase(), company.teamId.toUpperCase(), 'read');
    assert.equal(answer.statusCode, 200);
    const { createdAt, ...grant } = answer.json<CompanyGrant>();
    assert.deepEqual(grant, { userId: admin.userId, teamId: company.teamId, access: 'read' });
    assert.equal(await accessOf(admin, company.teamId), 'read');
    assert.equal(outcome(await write()), '403 scope_forbidden');
    const clients = await admin.all.listClients();
    assert.deepEqual(columns(clients, 'id', 'access'), [[clientId, 'read']]);
    const raised = await give(company, admin.userId, company.teamId, 'full');
    assert.deepEqual(raised.json(), { ...grant, access: 'full', createdAt });
    assert.equal(outcome(await write()), '201');
    assert.deepEqual(await grants(company), [{ ...grant, access: 'full', createdAt }]);
  });

  test('changes and records nothing if the Admin already has the grant', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const first = (await give(company, admin.userId, company.teamId, 'read')).json<CompanyGrant>();
    await recordsNothing(service, company, async () => {
      const again = await give(company, admin.userId, company.teamId, 'read');
      assert.deepEqual([again.statusCode, again.json()], [200, first]);
    });
  });

  test('returns 409 for everyone who is not a Company Admin', async () => {
    const company = await service.company();
    const { teamId } = company;
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const member = await addPerson(service, company, { teamRole: 'owner' });
    await recordsNothing(service, company, async () => {
      for (const userId of [company.ownerId, owner.userId, member.userId]) {
        assert.equal(outcome(await give(company, userId, teamId, 'full')), '409 conflict');
      }
    });
    assert.deepEqual(await grants(company), []);
  });

  test('returns 400 for a missing or invalid access and for unknown fields', async () => {
    const company = await service.company();
    const { userId } = await addAdmin(company);
    for (const [body, path] of [
      [{}, '/access'],
      [{ access: 'write' }, '/access'],
      [{ access: 'read', teamId: company.teamId }, '/teamId'],
    ] as const) {
      assertInvalid(await company.ask.giveCompanyGrant(userId, company.teamId, body), path);
    }
  });
});

describe('a Company grant that is lowered or revoked', () => {
  for (const [how, lower] of [
    ['lowering', (company: SignedIn, userId: string) => give(company, userId, company.teamId, 'read')],
    ['revoking', (company: SignedIn, userId: string) => take(company, userId, company.teamId)],
  ] as const) {
    test(`${how} a Company grant revokes the invites of that Admin into that Team, and no others`, async () => {
      const company = await service.company();
      const teamId = await addTeam(service, company);
      const admin = await addAdmin(company);
      const elsewhere = { ...admin, headers: { ...admin.headers, 'memory-team': teamId } };
      const other = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
      const both = await addPerson(service, company, { companyRole: 'admin', teamRole: 'admin' });
      for (const [person, team] of [
        [admin, company.teamId],
        [admin, teamId],
        [both, company.teamId],
      ] as const) {
        assert.equal(outcome(await give(company, person.userId, team, 'full')), '200');
      }
      const made = await admin.ask.createTeam({
        name: 'For another',
        ownerEmail: newEmail(),
      });
      const kept = [
        await invite(elsewhere),
        await invite(other),
        await invite(both),
        made.json<{ invite: Invite; token: string }>(),
      ];
      const gone = await invite(admin);
      const { events } = await recordedBy(service, company, async () => {
        const answer = await lower(company, admin.userId);
        assert.ok([200, 204].includes(answer.statusCode), answer.body);
      });
      assert.deepEqual(
        events.map(({ detail }) => detail['revokedInvites']),
        [[gone.invite.id]],
      );
      // Someone who is also an Admin of the Team keeps the invites that this role allows.
      assert.ok([200, 204].includes((await lower(company, both.userId)).statusCode));
      assert.equal(outcome(await join(service, { token: gone.token })), '410 token_revoked');
      for (const { token } of kept) {
        assert.equal(outcome(await join(service, { token })), '201');
      }
      // Giving it again brings none back.
      assert.equal(outcome(await give(company, admin.userId, company.teamId, 'full')), '200');
      assert.equal(outcome(await join(service, { token: gone.token })), '410 token_revoked');
    });
  }

  test('revoking a Company grant ends the access to that Team from the next request on', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const [admin, other] = [await addAdmin(company), await addAdmin(company)];
    for (const [person, team] of [
      [admin, company.teamId],
      [admin, teamId],
      [other, company.teamId],
    ] as const) {
      await give(company, person.userId, team, 'full');
    }
    const { events } = await recordedBy(service, company, async () => {
      const answer = await take(company, admin.userId, company.teamId);
      assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    });
    assert.deepEqual(columns(events, 'kind', 'teamId', 'subjectId'), [
      ['company.grant_revoke', company.teamId, admin.userId],
    ]);
    assert.equal(await accessOf(admin, company.teamId), undefined);
    assert.equal(await accessOf(admin, teamId), 'full');
    assert.equal(await accessOf(other, company.teamId), 'full');
    assert.equal(outcome(await take(company, admin.userId, company.teamId)), '404 not_found');
  });
});

describe('Company grants of an archived Team', () => {
  test('returns 409 for giving a Company grant in an archived Team and allows revoking it', async () => {
    const company = await service.company();
    const [admin, other] = [await addAdmin(company), await addAdmin(company)];
    await give(company, admin.userId, company.teamId, 'full');
    await archiveTeam(service, company.teamId);
    for (const [userId, access] of [
      [other.userId, 'read'],
      [admin.userId, 'read'],
      [admin.userId, 'full'],
    ] as const) {
      assert.equal(outcome(await give(company, userId, company.teamId, access)), '409 team_archived');
    }
    assert.deepEqual(columns(await grants(company), 'userId', 'access'), [[admin.userId, 'full']]);
    assert.equal((await take(company, admin.userId, company.teamId)).statusCode, 204);
  });
});

describe('a Company grant for an unknown account or Team', () => {
  test('returns the same 404 for every unknown id and changes nothing', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const admin = await addAdmin(company);
    const theirs = await addAdmin(other);
    await give(other, theirs.userId, other.teamId, 'full');
    const closed = await addAdmin(company);
    await database.query('update identity.account set closed_at = now() where id = $1', [closed.userId]);
    const pairs = [
      ['no-id', company.teamId],
      [newId(), company.teamId],
      [theirs.userId, company.teamId],
      [closed.userId, company.teamId],
      [admin.userId, 'no-id'],
      [admin.userId, newId()],
      [admin.userId, other.teamId],
      [theirs.userId, other.teamId],
    ] as const;
    await recordsNothing(service, company, async () => {
      for (const change of [
        (userId: string, teamId: string) => give(company, userId, teamId, 'full'),
        (userId: string, teamId: string) => take(company, userId, teamId),
      ]) {
        const answers = await Promise.all(pairs.map(([userId, teamId]) => change(userId, teamId)));
        await assertSameRefusal('404 not_found', answers);
      }
    });
    assert.equal((await grants(other)).length, 1);
  });
});

describe('GET /v1/company/grants', () => {
  test('lists the grants of the Company for Owners and Admins, newest first, in pages', async () => {
    const [company, other] = [await service.company(), await service.company()];
    await give(other, (await addAdmin(other)).userId, other.teamId, 'full');
    const admins = [];
    for (let n = 0; n < 5; n += 1) admins.push(await addAdmin(company));
    const given: CompanyGrant[] = [];
    for (const { userId } of admins) {
      given.push((await give(company, userId, company.teamId, 'read')).json<CompanyGrant>());
    }
    const whole = await grants(company);
    const byUser = (list: CompanyGrant[]) => list.toSorted((a, b) => a.userId.localeCompare(b.userId));
    assert.deepEqual(byUser(whole), byUser(given));
    const times = whole.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted().reverse(), 'newest first');
    assert.deepEqual(await grants(company, 2), whole);
    assert.deepEqual(await admins[0]!.readAll(URL, 2), whole);
  });
});
