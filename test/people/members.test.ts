import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { Member } from '../../shared/schemas/people.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { addPasswordHolder, PASSWORD } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { askSession, linkToken, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openOwnTestApp();
const { database } = service;
const ROLES = ['owner', 'admin', 'member'] as const;

function setRole(caller: Caller, userId: string, role: string) {
  return caller.ask.changeCompanyRole(userId, { role });
}

function remove(caller: Caller, userId: string) {
  return caller.ask.removeCompanyMember(userId);
}

const members = (caller: Caller, limit?: number) => caller.readAll<Member>('/v1/company/members', limit);

async function roleOf(company: SignedIn, userId: string): Promise<string | undefined> {
  return (await members(company)).find((member) => member.userId === userId)?.role;
}

describe('GET /v1/company', () => {
  test('returns the Company with the role of the caller', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    for (const [caller, role] of [
      [company, 'owner'],
      [admin, 'admin'],
    ] as const) {
      const answer = await caller.ask.getCompany();
      assert.equal(answer.statusCode, 200);
      assert.deepEqual(answer.json(), { id: company.companyId, name: 'Test Company', role });
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
    const listed = await members(admin);
    for (const { createdAt } of listed) assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    assert.deepEqual(
      listed.map((member) => {
        const { createdAt: _, ...rest } = member;
        return rest;
      }),
      [
        {
          userId: member.userId,
          email: `person-${member.userId}@example.com`,
          name: 'Someone',
          role: 'member',
        },
        { userId: admin.userId, email: `person-${admin.userId}@example.com`, name: 'Someone', role: 'admin' },
        { userId: company.ownerId, email: company.ownerEmail, name: 'Owner', role: 'owner' },
      ],
    );
  });

  test('returns stable pages while members are added', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n += 1) await addPerson(service, company, {});
    const before = (await members(company)).map(({ userId }) => userId);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url = `/v1/company/members?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page: { items: Member[]; nextCursor: string | null } = (await company.send('GET', url)).json();
      assert.ok(page.items.length <= 2);
      seen.push(...page.items.map(({ userId }) => userId));
      cursor = page.nextCursor;
      await addPerson(service, company, {});
    }
    assert.deepEqual(seen, before);
  });

  test('returns 400 for an invalid limit or cursor', async () => {
    const company = await service.company();
    for (const [query, path] of [
      ['limit=0', '/limit'],
      ['limit=201', '/limit'],
      ['limit=x', '/limit'],
      ['cursor=x', '/cursor'],
      ['cursor=', '/cursor'],
    ] as const) {
      assertInvalid(await company.send('GET', `/v1/company/members?${query}`), path);
    }
  });
});

describe('PATCH /v1/company/members/:userId', () => {
  for (const from of ROLES) {
    for (const to of ROLES) {
      const change = `changes the role from ${from} to ${to} and records it`;
      test(from === to ? `keeps the role ${to} and records nothing` : change, async () => {
        const company = await service.company();
        const person = await addPerson(service, company, { companyRole: from });
        const { events } = await recordedBy(service, company, async () => {
          const answer = await setRole(company, person.userId, to);
          assert.equal(answer.statusCode, 200, answer.body);
          const { createdAt: _, ...member } = answer.json<Member>();
          assert.deepEqual(member, {
            userId: person.userId,
            email: `person-${person.userId}@example.com`,
            name: 'Someone',
            role: to,
          });
        });
        const session = (await askSession(service, person.token)).json<Session>();
        assert.equal(session.company.role, to);
        assert.equal(await roleOf(company, person.userId), to);
        assert.deepEqual(
          events.map(({ kind, detail }) => [kind, detail['from'], detail['to']]),
          from === to ? [] : [['company.member_role', from, to]],
        );
      });
    }
  }

  test('returns 400 for an unknown role and for other fields', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    for (const [body, path] of [
      [{}, '/role'],
      [{ role: 'boss' }, '/role'],
      [{ role: null }, '/role'],
      [{ role: 'admin', name: 'x' }, '/name'],
    ] as const) {
      assertInvalid(await company.ask.changeCompanyRole(userId, body), path);
    }
    assert.equal(await roleOf(company, userId), 'member');
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

describe('a member that does not exist', () => {
  test('returns the same 404 for every malformed, unknown, foreign or removed id', async () => {
    const company = await service.company();
    const stranger = await service.company();
    const removed = await addPerson(service, company, {});
    assert.equal((await remove(company, removed.userId)).statusCode, 204);
    const ids = ['no-id', newId(), stranger.ownerId, removed.userId, '%20', `${removed.userId}0`];
    for (const change of [
      (id: string) => setRole(company, id, 'admin'),
      (id: string) => remove(company, id),
      (id: string) => company.ask.createMemberResetLink(id, {}),
    ]) {
      await recordsNothing(service, company, async () => {
        const answers = await Promise.all(ids.map(change));
        await assertSameRefusal('404 not_found', answers);
      });
    }
    assert.equal((await askSession(service, stranger.token)).statusCode, 200);
  });
});

describe('POST /v1/company/members/:userId/reset-link', () => {
  test('returns a link that sets the password of that member once', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const url = `/v1/company/members/${person.userId}/reset-link`;
    const baseUrl = 'https://memory.example.com/team/';
    const answer = await company.send('POST', url, { baseUrl, ttlSeconds: 60 });
    assert.equal(answer.statusCode, 201);
    const link = answer.json<{ url: string; expiresAt: string }>();
    assert.deepEqual(Object.keys(link), ['url', 'expiresAt']);
    assert.match(link.url, /^https:\/\/memory\.example\.com\/team\/reset#token=[\w-]{43}$/);
    const seconds = (Date.parse(link.expiresAt) - Date.now()) / 1000;
    assert.ok(seconds > 0 && seconds <= 61, `${seconds} seconds`);
    const token = linkToken(link.url);
    const used = await useLink(service, token, 'another password than before');
    assert.equal(used.json<Session>().user.id, person.userId);
    assert.equal(outcome(await useLink(service, token, PASSWORD)), '410 token_used');
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '401 invalid_credentials');
  });

  test('accepts an empty body, revokes the previous link and returns 400 for invalid fields', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    const url = `/v1/company/members/${userId}/reset-link`;
    const make = async () => linkToken((await company.send('POST', url)).json<{ url: string }>().url);
    const first = await make();
    const second = await make();
    assert.equal(outcome(await useLink(service, first, PASSWORD)), '410 token_revoked');
    assert.equal(outcome(await useLink(service, second, PASSWORD)), '200');
    for (const [body, path] of [
      [{ ttlSeconds: 59 }, '/ttlSeconds'],
      [{ ttlSeconds: 86_401 }, '/ttlSeconds'],
      [{ baseUrl: 'memory.example.com' }, '/baseUrl'],
      [{ email: 'x@example.com' }, '/email'],
    ] as const) {
      assertInvalid(await company.send('POST', url, body), path);
    }
  });
});
