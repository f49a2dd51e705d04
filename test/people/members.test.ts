import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { addPasswordHolder, PASSWORD } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { askSession, linkToken, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openOwnTestApp();
const { database } = service;
const ROLES = ['owner', 'admin', 'member'] as const;

const setRole = (caller: Caller, userId: string, role: string) =>
  caller.ask.changeCompanyRole(userId, { role });
const remove = (caller: Caller, userId: string) => caller.ask.removeCompanyMember(userId);

async function roleOf(company: SignedIn, userId: string): Promise<string | undefined> {
  return (await company.all.listCompanyMembers()).find((member) => member.userId === userId)?.role;
}
describe('GET /v1/company', () => {
  test('returns the Company with the role of the caller', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    for (const [caller, role] of [
      [company, 'owner'],
      [admin, 'admin'],
    ] as const) {
      assert.deepEqual(await caller.api.getCompany(), { id: company.companyId, name: 'Test Company', role });
    }
  });
});

describe('GET /v1/company/members', () => {
  test('lists the open accounts of the Company, newest first, only with the public fields', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const closed = await addPerson(service, company, {});
    await database.query('update identity.account set closed_at = now() where id = $1', [closed.userId]);
    await service.company();
    const shown = (await admin.all.listCompanyMembers()).map(({ createdAt, ...rest }) => {
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      return rest;
    });
    const someone = (userId: string, role: string) => {
      return { userId, email: `person-${userId}@example.com`, verified: false, name: 'Someone', role };
    };
    assert.deepEqual(shown, [
      someone(member.userId, 'member'),
      someone(admin.userId, 'admin'),
      { userId: company.ownerId, email: company.ownerEmail, verified: false, name: 'Owner', role: 'owner' },
    ]);
  });

  test('returns stable pages while members are added', async () => {
    const company = await service.company();
    const add = () => addPerson(service, company, {});
    for (let n = 0; n < 5; n += 1) await add();
    await assertStablePages(company, '/v1/company/members', add);
  });
});

describe('PATCH /v1/company/members/:userId', () => {
  test('gives any role in place of any other, and records nothing where it is the same', async () => {
    const company = await service.company();
    for (const from of ROLES) {
      for (const to of ROLES) {
        const person = await addPerson(service, company, { companyRole: from });
        const { events } = await recordedBy(service, company, async () => {
          assert.equal((await company.api.changeCompanyRole(person.userId, { role: to })).role, to);
        });
        assert.equal((await person.api.getSession()).company.role, to);
        assert.equal(await roleOf(company, person.userId), to);
        assert.equal(events.length, from === to ? 0 : 1, `${from} to ${to}`);
      }
    }
  });
});

describe('the last Owner of a Company', () => {
  test('the last Owner cannot be demoted or removed, and no event is recorded', async () => {
    const company = await service.company();
    await addPerson(service, company, { companyRole: 'admin' });
    const gone = await addPerson(service, company, { companyRole: 'owner' });
    await database.query('update identity.account set closed_at = now() where id = $1', [gone.userId]);
    await recordsNothing(service, company, async () => {
      for (const role of ['admin', 'member']) {
        assert.equal(outcome(await setRole(company, company.ownerId, role)), '409 last_owner', role);
      }
      assert.equal(outcome(await remove(company, company.ownerId)), '409 last_owner');
    });
    assert.equal(await roleOf(company, company.ownerId), 'owner');
  });

  test('an Owner can be demoted if another Owner exists, who then becomes the last Owner', async () => {
    const company = await service.company();
    const second = await addPerson(service, company, { companyRole: 'owner' });
    assert.equal(outcome(await setRole(company, company.ownerId, 'admin')), '200');
    assert.equal(outcome(await remove(second, second.userId)), '409 last_owner');
    assert.equal(outcome(await setRole(company, second.userId, 'admin')), '403 company_role_required');
  });

  test('one Owner remains when two Owners demote or remove each other at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const company = await service.company();
      const second = await addPerson(service, company, { companyRole: 'owner' });
      const change = (caller: Caller, userId: string) =>
        round % 2 === 0 ? setRole(caller, userId, 'member') : remove(caller, userId);
      const answers = await Promise.all([
        change(company, second.userId),
        change(second, company.ownerId),
        setRole(second, second.userId, 'admin'),
      ]);
      const left = await database.query(
        `select from identity.account where company_id = $1 and role = 'owner' and closed_at is null`,
        [company.companyId],
      );
      assert.equal(left.length, 1, answers.map(({ statusCode }) => statusCode).join());
    }
  });
});

describe('the server principal', () => {
  test('the server principal cannot be demoted or removed, even if there is another Owner', async () => {
    const principal = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}`, 'memory-team': '' });
    const { user, company, teams } = (await askSession(service, API_TOKEN)).json<Session>();
    const place = {
      companyId: company.id,
      ownerId: user.id,
      ownerEmail: user.email,
      teamId: teams[0]?.id ?? '',
    };
    const other = await addPerson(service, place, { companyRole: 'owner' });
    for (const caller of [principal, other]) {
      for (const role of ['admin', 'member']) {
        assert.equal(outcome(await setRole(caller, user.id, role)), '409 last_owner', role);
      }
      assert.equal(outcome(await remove(caller, user.id)), '409 last_owner');
      assert.equal(outcome(await setRole(caller, user.id, 'owner')), '200');
    }
    assert.equal(outcome(await setRole(principal, other.userId, 'admin')), '200');
    assert.equal((await askSession(service, API_TOKEN)).json<Session>().company.role, 'owner');
  });
});

describe('POST /v1/company/members/:userId/reset-link', () => {
  test('returns a link that sets the password of that member, and revokes the previous one', async () => {
    const company = await service.company();
    const { email, userId } = await addPasswordHolder(service, company, {});
    const first = (await company.ask.createMemberResetLink(userId)).json();
    const given = { baseUrl: 'https://memory.example.com/team/', ttlSeconds: 60 };
    const link = await company.api.createMemberResetLink(userId, given);
    assert.match(link.url, /^https:\/\/memory\.example\.com\/team\/reset#token=[\w-]{43}$/);
    const seconds = (Date.parse(link.expiresAt) - Date.now()) / 1000;
    assert.ok(seconds > 0 && seconds <= 61, `${seconds} seconds`);
    assert.equal(outcome(await useLink(service, linkToken(first.url), PASSWORD)), '410 token_revoked');
    const used = await useLink(service, linkToken(link.url), 'another password than before');
    assert.equal(used.json<Session>().user.id, userId);
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
  });
});
