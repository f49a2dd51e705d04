import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import type { Invite } from '../../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import type { Body } from '../../support/client/client.ts';
import { columns } from '../../support/columns.ts';
import { recordsNothing } from '../../support/company.ts';
import {
  expireInvite,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  outcomeOfJoin,
} from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { assertStablePages } from '../../support/stable-pages.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../../support/team.ts';

const service = await openTestApp();

const { database, config } = service;

const list = (caller: Caller) => caller.all.listInvites();

const create = (caller: Caller, body: object) =>
  caller.ask.createInvite({ email: newEmail(), role: 'member', ...body });

const emailOf = ({ userId }: { userId: string }) => `person-${userId}@example.com`;

/** Makes an invite through the API. */
const made = (caller: Caller, body: Partial<Body<'createInvite'>> = {}) =>
  caller.api.createInvite({ email: newEmail(), role: 'member', ...body });

const hoursLeft = ({ expiresAt }: Invite) => (Date.parse(expiresAt) - Date.now()) / 3_600_000;

describe('POST /v1/team/invites', () => {
  test('returns the token and the link once', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const email = newEmail();
    const { invite, token, url } = await made(admin, { email: `  ${email.toUpperCase()} ` });
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(url, `http://127.0.0.1:${config.port}/join#token=${token}`);
    const { id, expiresAt, createdAt, ...rest } = invite;
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.ok(Math.abs(hoursLeft(invite) - 168) < 0.1, expiresAt);
    // The service sends no mail.
    const noMail = { account: null, mail: null };
    const createdBy = admin.userId;
    assert.deepEqual(rest, { email, role: 'member', grants: [], state: 'open', createdBy, ...noMail });
    assert.deepEqual(await list(company), [invite]);
    assert.ok(isId(id) && !JSON.stringify(invite).includes(token));
  });

  test('stores the requested role, grants and expiry', async () => {
    const company = await service.company();
    const [a, b] = [await addClient(service, company), await addClient(service, company)];
    const grants = [
      { clientId: b, access: 'write' },
      { clientId: a, access: 'read' },
    ] as const;
    const { invite } = await made(company, { role: 'admin', grants, expiresInHours: 1 });
    assert.deepEqual([invite.role, invite.grants], ['admin', grants]);
    assert.ok(Math.abs(hoursLeft(invite) - 1) < 0.1, invite.expiresAt);
    assert.deepEqual(await list(company), [invite]);
  });
});

describe('POST /v1/team/invites for an existing account', () => {
  test('returns 409 for the caller and for people who have the role or a higher one', async () => {
    const company = await service.company();
    const [admin, member, owner] = [
      await addPerson(service, company, { teamRole: 'admin' }),
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { teamRole: 'owner' }),
    ];
    const outside = await addPerson(service, company, { companyRole: 'owner' });
    await recordsNothing(service, company, async () => {
      for (const [caller, email, role] of [
        [admin, emailOf(admin), 'member'],
        [admin, emailOf(admin).toUpperCase(), 'admin'],
        [outside, emailOf(outside), 'member'],
        [admin, emailOf(member), 'member'],
        [company, ` ${emailOf(admin)}`, 'member'],
        [company, emailOf(admin), 'admin'],
        [company, emailOf(owner), 'member'],
        [company, emailOf(owner), 'admin'],
      ] as const) {
        assert.equal(outcome(await create(caller, { email, role })), '409 conflict', `${email} ${role}`);
      }
    });
    assert.deepEqual(await list(company), []);
  });

  test('creates an invite for people with a lower role or none, whatever their role elsewhere', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const teamId = await addTeam(service, company);
    const people = {
      member: await addPerson(service, company, { teamRole: 'member' }),
      companyOwner: await addPerson(service, company, { companyRole: 'owner' }),
      companyAdmin: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' }),
      colleague: await addPerson(service, company, {}),
      neighbour: await addPerson(service, { ...company, teamId }, { teamRole: 'owner' }),
      stranger: await addPerson(service, stranger, { teamRole: 'owner' }),
      former: await addPerson(service, company, {}),
    };
    await database.query('update identity.account set closed_at = now() where id = $1', [
      people.former.userId,
    ]);
    const shape = Object.keys((await made(company)).invite);
    for (const [name, person] of Object.entries(people)) {
      const { invite } = await made(company, { email: emailOf(person), role: 'admin' });
      assert.deepEqual(Object.keys(invite), shape, name);
      assert.deepEqual([invite.email, invite.role, invite.state], [emailOf(person), 'admin', 'open'], name);
    }
  });

  test('revokes only the open invite to the same email in the same Team', async () => {
    const company = await service.company();
    const elsewhere = inTeam(company, await addTeam(service, company));
    const email = newEmail();
    const first = await made(company, { email });
    const [other, there] = [await made(company), await made(elsewhere, { email })];
    const invitation = await makeInvitation(company, { email });
    const second = await made(company, { email: email.toUpperCase(), role: 'admin' });
    const states = (await list(company)).map(({ id, state }) => [id, state]);
    assert.deepEqual(states, [
      [second.invite.id, 'open'],
      [other.invite.id, 'open'],
      [first.invite.id, 'revoked'],
    ]);
    assert.deepEqual(columns(await list(elsewhere), 'id', 'state'), [[there.invite.id, 'open']]);
    const [row] = await database.query<{ revoked: Date | null }>(
      'select revoked_at as revoked from identity.invite where id = $1',
      [invitation.invite.id],
    );
    assert.equal(row?.revoked, null);
    assert.equal(await outcomeOfJoin(service, first.token), '410 token_revoked');
    assert.equal(await outcomeOfJoin(service, second.token), '201');
  });

  test('leaves exactly one open invite after twenty concurrent requests for one email', async () => {
    const company = await service.company();
    const email = newEmail();
    const issued = await Promise.all(Array.from({ length: 20 }, () => made(company, { email })));
    const open = (await list(company)).filter(({ state }) => state === 'open');
    assert.equal(open.length, 1);
    for (const { invite, token } of issued) {
      if (invite.id !== open[0]?.id) assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
    }
    const last = issued.find(({ invite }) => invite.id === open[0]?.id);
    assert.equal(await outcomeOfJoin(service, last!.token), '201');
  });
});

const URL = '/v1/team/invites';

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
  });

  test('returns stable pages while invites are added', async () => {
    const company = await service.company();
    const { make } = await oneOfEach(company);
    await assertStablePages(company, URL, () => make());
  });
});

describe('DELETE /v1/team/invites/:id', () => {
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
});

const setTeamRole = (by: Caller, userId: string, role: string) => by.ask.changeTeamRole(userId, { role });

describe('the open invite of a future Team Owner', () => {
  /** A new Team whose Owner has not joined yet. */
  async function ownerlessTeam() {
    const company = await service.company();
    const email = newEmail();
    const body = { name: 'A new Team', ownerEmail: email };
    const { team, invite, token } = await company.api.createTeam(body);
    assert.ok(invite && token, 'no account has the email');
    return { company: { ...company, teamId: team.id }, email, invite, token };
  }
  const again = (by: Caller, email: string) => by.ask.createInvite({ email, role: 'member' });
  const withdraw = (by: Caller, id: string) => by.ask.revokeInvite(id);

  test('a caller with only Full access gets 403 for replacing or revoking the invite of an Owner', async () => {
    const { company, email, invite, token } = await ownerlessTeam();
    for (const ties of [
      { teamRole: 'admin' },
      { companyRole: 'admin', companyGrant: 'full' },
      { companyRole: 'admin', teamRole: 'admin' },
    ] as const) {
      const person = await addPerson(service, company, ties);
      assert.equal(outcome(await again(person, email)), '403 forbidden');
      assert.equal(outcome(await withdraw(person, invite.id)), '403 forbidden');
    }
    const joined = await join(service, { token });
    assert.equal(outcome(joined), '201');
    assert.equal(joined.json<Session>().teams[0]?.role, 'owner');
  });

  test('a Company Owner and a Team Owner can replace and revoke the invite of an Owner', async () => {
    for (const how of ['replaced', 'withdrawn']) {
      for (const ties of [{ companyRole: 'owner' }, { teamRole: 'owner' }] as const) {
        const { company, email, invite, token } = await ownerlessTeam();
        const owner = await addPerson(service, company, ties);
        const answer = how === 'replaced' ? await again(owner, email) : await withdraw(owner, invite.id);
        assert.equal(outcome(answer), how === 'replaced' ? '201' : '204');
        assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
      }
    }
  });
});

describe('an open invite when the Team role of its recipient is lowered', () => {
  test('the invite is revoked, so it cannot restore the role', async () => {
    const company = await service.company();
    for (const [invited, from, to] of [
      ['admin', 'admin', 'member'],
      ['owner', 'admin', 'member'],
      ['owner', 'owner', 'admin'],
    ] as const) {
      const person = await addPerson(service, company, { teamRole: 'member' });
      const { token } = await makeInvite(service, company, { email: emailOf(person), role: invited });
      for (const role of [from, to]) {
        assert.equal(outcome(await setTeamRole(company, person.userId, role)), '200');
      }
      assert.equal(
        await outcomeOfJoin(service, token),
        '410 token_revoked',
        `${invited}: from ${from} to ${to}`,
      );
    }
  });
});
