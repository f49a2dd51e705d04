import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId } from '../../../shared/ids.ts';
import type { Invite } from '../../../shared/schemas/people.ts';
import { openTestApp } from '../../support/app.ts';
import { type Body } from '../../support/client/client.ts';
import { columns } from '../../support/columns.ts';
import { recordsNothing } from '../../support/company.ts';
import { makeInvitation, newEmail, outcomeOfJoin } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
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
    assert.deepEqual(rest, { email, role: 'member', grants: [], state: 'open', createdBy: admin.userId });
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
