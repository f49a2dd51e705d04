import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addPerson, addTeam, type Caller, type Person } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/members';
const ROLES = ['owner', 'admin', 'member'] as const;
type Role = (typeof ROLES)[number];

const list = (caller: Caller) => caller.all.listTeamMembers();
const setRole = (caller: Caller, userId: string, role: Role) => caller.ask.changeTeamRole(userId, { role });
const remove = (caller: Caller, userId: string) => caller.ask.removeTeamMember(userId);

const add = (company: SignedIn, teamRole: Role) => addPerson(service, company, { teamRole });

/** Those whose roles in the Team and in the Company differ. The access matrix asks as the others. */
async function cast(company: SignedIn): Promise<Record<string, Person>> {
  return {
    'a Company Owner who is a Team Member': await addPerson(service, company, {
      companyRole: 'owner',
      teamRole: 'member',
    }),
    'a Company Admin with Full access': await addPerson(service, company, {
      companyRole: 'admin',
      companyGrant: 'full',
    }),
    'a Company Admin with Full access who is a Team Owner': await addPerson(service, company, {
      companyRole: 'admin',
      companyGrant: 'full',
      teamRole: 'owner',
    }),
  };
}
const APPOINTS_OWNERS = [
  'a Company Owner who is a Team Member',
  'a Company Admin with Full access who is a Team Owner',
];
/** The role of a person in the Team, or undefined. */
async function roleOf(company: SignedIn, userId: string): Promise<string | undefined> {
  return (await list(company)).find((member) => member.userId === userId)?.role;
}

describe('GET /v1/team/members', () => {
  test('shows everyone in the Team all members and their roles, newest first', async () => {
    const company = await service.company();
    const [admin, member] = [await add(company, 'admin'), await add(company, 'member')];
    const outsider = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const teamId = await addTeam(service, company);
    await addPerson(service, { ...company, teamId }, { teamRole: 'member' });
    // Rows of the same millisecond have no fixed order, so each gets a later id.
    for (const { userId } of [admin, member]) {
      await service.database.query('update identity.team_member set id = $2 where user_id = $1', [
        userId,
        newId(),
      ]);
    }
    const expected = [
      {
        userId: member.userId,
        email: `person-${member.userId}@example.com`,
        verified: false,
        name: 'Someone',
        role: 'member',
      },
      {
        userId: admin.userId,
        email: `person-${admin.userId}@example.com`,
        verified: false,
        name: 'Someone',
        role: 'admin',
      },
      { userId: company.ownerId, email: company.ownerEmail, verified: false, name: 'Owner', role: 'owner' },
    ];
    for (const caller of [company, admin, member, outsider]) {
      const shown = (await list(caller)).map(({ createdAt, ...rest }) => {
        assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        return rest;
      });
      assert.deepEqual(shown, expected);
    }
  });

  test('returns pages of members that a new member does not shift', async () => {
    const company = await service.company();
    for (const role of ROLES) await add(company, role);
    await assertStablePages(company, URL, () => add(company, 'member'));
  });
});

describe('a change of a Team role', () => {
  test('every caller with Full access can change roles, but only Owners those of Team Owners', async () => {
    const company = await service.company();
    for (const [name, caller] of Object.entries(await cast(company))) {
      for (const from of ROLES) {
        for (const to of [...ROLES, 'removed'] as const) {
          const { userId } = await add(company, from);
          const forbidden = (from === 'owner' || to === 'owner') && !APPOINTS_OWNERS.includes(name);
          const { events } = await recordedBy(service, company, async () => {
            const answer = await (to === 'removed' ? remove(caller, userId) : setRole(caller, userId, to));
            assert.equal(answer.statusCode < 300, !forbidden, `${name}: ${from} to ${to}`);
          });
          const held = to === 'removed' ? undefined : to;
          assert.equal(await roleOf(company, userId), forbidden ? from : held, `${name}: ${from} to ${to}`);
          assert.equal(events.length, forbidden || from === to ? 0 : 1);
        }
      }
    }
  });

  test('a change of a role returns the member and applies to the next request', async () => {
    const company = await service.company();
    const person = await add(company, 'member');
    const [before] = await list(company);
    assert.equal(outcome(await person.ask.listInvites()), '403 full_access_required');
    const answer = await setRole(company, person.userId, 'admin');
    assert.deepEqual(answer.json(), { ...before, role: 'admin' });
    assert.equal(outcome(await person.ask.listInvites()), '200');
    await setRole(company, person.userId, 'member');
    assert.equal(outcome(await person.ask.listInvites()), '403 full_access_required');
  });
});

describe('the last Team Owner', () => {
  test('demoting or removing the last Team Owner returns 409 last_owner for everyone', async () => {
    const company = await service.company();
    const companyOwner = await addPerson(service, company, { companyRole: 'owner' });
    await recordsNothing(service, company, async () => {
      for (const caller of [company, companyOwner]) {
        for (const answer of [
          await setRole(caller, company.ownerId, 'admin'),
          await setRole(caller, company.ownerId, 'member'),
          await remove(caller, company.ownerId),
        ]) {
          assert.equal(outcome(answer), '409 last_owner');
        }
        assert.equal(outcome(await setRole(caller, company.ownerId, 'owner')), '200');
      }
    });
    assert.equal(await roleOf(company, company.ownerId), 'owner');
  });

  test('the last Owner is determined per Team, and another Owner makes the change possible', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    await addPerson(service, { ...company, teamId }, { teamRole: 'owner' });
    assert.equal(outcome(await setRole(company, company.ownerId, 'member')), '409 last_owner');
    const second = await add(company, 'owner');
    assert.equal(outcome(await setRole(company, company.ownerId, 'member')), '200');
    assert.equal(outcome(await remove(company, second.userId)), '409 last_owner');
  });

  test('one Team Owner remains when all are demoted or removed at the same time', async () => {
    const company = await service.company();
    const caller = await addPerson(service, company, { companyRole: 'owner' });
    const owners = [company.ownerId];
    for (let n = 0; n < 7; n++) owners.push((await add(company, 'owner')).userId);
    const answers = await Promise.all(
      owners.map((userId, n) => (n % 2 === 0 ? setRole(caller, userId, 'admin') : remove(caller, userId))),
    );
    const refused = answers.filter(({ statusCode }) => statusCode >= 400).map(outcome);
    assert.deepEqual(refused, ['409 last_owner']);
    assert.equal((await list(caller)).filter(({ role }) => role === 'owner').length, 1);
  });
});
