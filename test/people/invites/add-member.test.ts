import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { openTestApp } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import {
  accessToClient,
  makeInvite,
  outcomeOfJoin,
  REACHES_NOTHING,
  READS,
  WRITES,
} from '../../support/invites.ts';
import { assertInvalid, assertSameRefusal } from '../../support/refusals.ts';
import { askSession, outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller, inTeam } from '../../support/team.ts';

const service = await openTestApp();

const { database } = service;

const add = (caller: Caller, body: object) => caller.ask.createInvite({ role: 'member', ...body });

describe('POST /v1/team/invites with a userId', () => {
  test('gives a member of the Company the role and the grants at once, and makes no link', async () => {
    const company = await service.company();
    const [read, written, neither] = [
      await addClient(service, company),
      await addClient(service, company),
      await addClient(service, company),
    ];
    const person = await addPerson(service, company, {});
    const grants = [
      { clientId: read, access: 'read' },
      { clientId: written, access: 'write' },
    ] as const;
    const { events } = await recordedBy(service, company, async () => {
      const answer = await add(company, { userId: person.userId, grants });
      assert.equal(outcome(answer), '201');
      const { member, ...rest } = answer.json<{ member: { createdAt: string } }>();
      assert.deepEqual(rest, {});
      const { createdAt, ...shown } = member;
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
      const { userId } = person;
      const email = `person-${userId}@example.com`;
      assert.deepEqual(shown, { userId, email, verified: false, name: 'Someone', role: 'member' });
      assert.deepEqual((await company.all.listTeamMembers())[0], member);
    });
    assert.deepEqual(columns(events, 'kind', 'subjectId', 'detail'), [
      ['team.member_add', person.userId, { from: null, role: 'member', grants, replaced: [] }],
    ]);
    assert.deepEqual(await accessToClient(service, company, person.token, read), READS);
    assert.deepEqual(await accessToClient(service, company, person.token, written), WRITES);
    assert.deepEqual(await accessToClient(service, company, person.token, neither), REACHES_NOTHING);
    assert.deepEqual(await company.all.listInvites(), []);
  });

  test('raises a lower role and a lower grant, and lowers none', async () => {
    const company = await service.company();
    const [kept, raised] = [await addClient(service, company), await addClient(service, company)];
    const person = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [kept]: 'write', [raised]: 'read' },
    });
    const grants = [
      { clientId: kept, access: 'read' },
      { clientId: raised, access: 'write' },
    ] as const;
    const { member } = await company.api.createInvite({
      userId: person.userId,
      role: 'admin',
      grants: [...grants],
    });
    assert.equal(member?.role, 'admin');
    const stored = (await company.all.listClientGrants()).map(({ access }) => access);
    assert.deepEqual(stored, ['write', 'write']);
  });

  test('returns 409 for the caller, and for people who have the role or a higher one', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const granted = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    await recordsNothing(service, company, async () => {
      for (const [caller, { userId }, role] of [
        [company, member, 'member'],
        [company, admin, 'member'],
        [company, admin, 'admin'],
        [admin, admin, 'admin'],
        // Who has a Company grant must not make a role of it, which would outlast the grant.
        [granted, granted, 'admin'],
      ] as const)
        assert.equal(outcome(await add(caller, { userId, role })), '409 conflict');
    });
  });

  test('makes a Team Owner only if an Owner asks', async () => {
    const company = await service.company();
    const [admin, owner] = [
      await addPerson(service, company, { teamRole: 'admin' }),
      await addPerson(service, company, { teamRole: 'owner' }),
    ];
    const [first, second] = [await addPerson(service, company, {}), await addPerson(service, company, {})];
    const granted = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    for (const caller of [admin, granted])
      assert.equal(outcome(await add(caller, { userId: first.userId, role: 'owner' })), '403 forbidden');
    assert.equal(outcome(await add(owner, { userId: first.userId, role: 'owner' })), '201');
    assert.equal(outcome(await add(company, { userId: second.userId, role: 'owner' })), '201');
  });

  test('returns the same 404 for everyone who is no open account of the Company', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const stranger = await addPerson(service, other, { teamRole: 'member' });
    const [removed, erased] = [await addPerson(service, company, {}), await addPerson(service, company, {})];
    await company.api.removeCompanyMember(removed.userId);
    await company.api.eraseCompanyMember(erased.userId);
    const ids = [stranger.userId, other.ownerId, removed.userId, erased.userId, newId(), 'nonsense'];
    await recordsNothing(service, other, () =>
      recordsNothing(service, company, () =>
        assertSameRefusal(
          '404 not_found',
          ids.map((userId) => add(company, { userId })),
        ),
      ),
    );
  });

  test('gives nothing if one of the clients is archived, unknown or of another Team', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const person = await addPerson(service, company, {});
    const clients = [
      await addClient(service, company, 'archived'),
      await addClient(service, { ...company, teamId }),
      newId(),
    ];
    await recordsNothing(service, company, async () => {
      for (const clientId of clients) {
        const grants = [{ clientId, access: 'read' }];
        assert.equal(outcome(await add(company, { userId: person.userId, grants })), '404 not_found');
      }
    });
    assert.deepEqual((await askSession(service, person.token)).json<Session>().teams, []);
  });

  test('is refused in an archived Team', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, {});
    const teamId = await addTeam(service, company);
    await archiveTeam(service, teamId);
    const answer = await add(inTeam(company, teamId), { userId: person.userId });
    assert.equal(outcome(answer), '409 team_archived');
  });

  test('ends the open invite to the email of the person, in this Team only', async () => {
    const company = await service.company();
    const elsewhere = { ...company, teamId: await addTeam(service, company) };
    const person = await addPerson(service, company, {});
    const email = `person-${person.userId}@example.com`;
    const [here, there] = [
      await makeInvite(service, company, { email, role: 'admin' }),
      await makeInvite(service, elsewhere, { email }),
    ];
    const { events } = await recordedBy(service, company, () =>
      company.api.createInvite({ userId: person.userId, role: 'member' }),
    );
    assert.deepEqual(events[0]?.detail['replaced'], [here.invite.id]);
    assert.equal(await outcomeOfJoin(service, here.token), '410 token_revoked');
    assert.deepEqual(columns(await inTeam(company, elsewhere.teamId).all.listInvites(), 'id', 'state'), [
      [there.invite.id, 'open'],
    ]);
  });

  test('does not replace the invite of a Team Owner, except for an Owner', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const { userId } = await addPerson(service, company, {});
    await makeInvite(service, company, { email: `person-${userId}@example.com`, role: 'owner' });
    assert.equal(outcome(await add(admin, { userId })), '403 forbidden');
    assert.equal(outcome(await add(company, { userId })), '201');
  });

  test('gives the role once if several people ask at once', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(company, { userId })));
    const outcomes = answers.map(outcome).sort();
    assert.deepEqual(outcomes, ['201', ...Array<string>(7).fill('409 conflict')]);
  });

  test('refuses fields that do not belong together', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    const email = 'someone@example.com';
    assertInvalid(await add(company, {}), '/');
    assertInvalid(await add(company, { userId, email }), '/email');
    assertInvalid(await add(company, { userId, expiresInHours: 24 }), '/expiresInHours');
    assertInvalid(await add(company, { email, role: 'owner' }), '/role');
  });
});

const find = async (caller: Caller, q: string) => (await caller.api.findPeople({ q })).items;

/** Someone of the Company with this name, without a role in the Team. */
async function addNamed(company: Parameters<typeof addPerson>[1], name: string, ties = {}) {
  const { userId } = await addPerson(service, company, ties);
  await database.query('update identity.account set name = $2 where id = $1', [userId, name]);
  return { userId, name };
}

describe('GET /v1/team/people', () => {
  test('finds people by a part of the name, in the order of their names, without case', async () => {
    const company = await service.company();
    const zoe = await addNamed(company, 'ZOË Ångström');
    const anna = await addNamed(company, 'Anna Ångström-Li');
    await addNamed(company, 'Bo Berg');
    assert.deepEqual(await find(company, 'ångström'), [anna, zoe]);
    // Accents that are written as characters of their own.
    assert.deepEqual(await find(company, ' zoe\u0308 '), [zoe]);
    // Nothing in it is a pattern.
    assert.deepEqual(await find(company, '%%'), []);
  });

  test('finds one person by the whole email, and by no part of it', async () => {
    const company = await service.company();
    const bo = await addNamed(company, 'Bo Berg');
    const email = `person-${bo.userId}@example.com`;
    assert.deepEqual(await find(company, ` ${email.toUpperCase()}`), [bo]);
    assert.deepEqual(await find(company, email.slice(1)), []);
    assert.deepEqual(await find(company, '@example.com'), []);
  });

  test('leaves out members of the Team, closed accounts and people of other Companies', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const teamId = await addTeam(service, company);
    const name = 'Robin Hale';
    const found = await addNamed({ ...company, teamId }, name, { teamRole: 'owner' });
    await addNamed(company, name, { teamRole: 'member' });
    await addNamed(other, name);
    const removed = await addNamed(company, name);
    await company.api.removeCompanyMember(removed.userId);
    const erased = await addNamed(company, name);
    await company.api.eraseCompanyMember(erased.userId);
    assert.deepEqual(await find(company, 'robin'), [found]);
    assert.deepEqual(await find(company, `person-${removed.userId}@example.com`), []);
    assert.deepEqual(await find(company, 'Former member'), []);
    await company.api.createInvite({ userId: found.userId, role: 'member' });
    assert.deepEqual(await find(company, 'robin'), []);
  });

  test('returns at most 20 people, the one with the email first', async () => {
    const company = await service.company();
    const names = Array.from({ length: 21 }, (_, index) => `Sam ${String(index).padStart(2, '0')}`);
    for (const name of names) await addNamed(company, name);
    const answer = await company.api.findPeople({ q: 'sam' });
    assert.deepEqual(
      columns(answer.items, 'name'),
      names.slice(0, 20).map((name) => [name]),
    );
    assert.equal(answer.nextCursor, null);
  });

  test('needs two letters, without the white space around them', async () => {
    const company = await service.company();
    for (const q of ['', 'a', ' a ', '\u{1f469}', '   '])
      assertInvalid(await company.ask.findPeople({ q }), '/q');
    assert.equal(outcome(await company.ask.findPeople({ q: 'ab' })), '200');
  });
});
