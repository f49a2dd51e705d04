import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { Invite } from '../../shared/schemas/people.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import { openTestApp } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { addPasswordHolder, join, newEmail, PASSWORD } from '../support/invites.ts';
import { assertInvalid } from '../support/refusals.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addPerson, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/company/teams';

interface Made {
  team: Team;
  invite: Invite | null;
  token: string | null;
  url: string | null;
}

async function make(caller: Caller, body: Body<'createTeam'>): Promise<Made> {
  return await caller.api.createTeam(body);
}

const change = (caller: Caller, id: string, verb: 'archive' | 'restore') =>
  caller.send('POST', `${URL}/${id}/${verb}`);
const rename = (caller: Caller, id: string, name: string) => caller.ask.renameTeam(id, { name });
const find = (caller: Caller, id: string) => caller.ask.getTeam(id);

/** What a session currently shows of a Team: role, access, name and state. */
async function heldIn(token: string, teamId: string) {
  const { teams } = (await askSession(service, token)).json<Session>();
  const team = teams.find(({ id }) => id === teamId);
  return team && { role: team.role, access: team.access, name: team.name, state: team.state };
}

describe('POST /v1/company/teams', () => {
  test('makes the creator the Team Owner, for a Company Owner and a Company Admin', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    for (const [name, caller] of Object.entries({ 'Zoo 山': company, 'Zoo 川': admin })) {
      const { team, ...rest } = await make(caller, { name });
      const { id, createdAt, ...shown } = team;
      assert.deepEqual(shown, { name, state: 'active' });
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      assert.deepEqual(rest, { invite: null, token: null, url: null });
      const held = { role: 'owner', access: 'full', name, state: 'active' };
      assert.deepEqual(await heldIn(caller.token, id), held);
      const stored = await inTeam(caller, id).ask.ingestSource({ title: 'x', text: 'the first word' });
      assert.equal(stored.statusCode, 201);
    }
  });

  test('makes the member with the named userId the Team Owner at once, instead of the creator', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const named = await addPerson(service, company, {});
    const body = { name: 'Theirs', ownerUserId: named.userId.toUpperCase() };
    const { team, ...rest } = await admin.api.createTeam(body);
    assert.deepEqual(rest, { invite: null, token: null, url: null });
    assert.equal((await heldIn(named.token, team.id))?.role, 'owner');
    assert.equal(await heldIn(admin.token, team.id), undefined, 'an Admin has no access without a grant');
    const own = await make(admin, { name: 'Mine', ownerUserId: admin.userId });
    assert.equal((await heldIn(admin.token, own.team.id))?.role, 'owner');
  });

  test('invites an email that an account has, and gives that account no role before it accepts', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const named = await addPasswordHolder(service, company, {});
    const { team, invite, token } = await make(admin, { name: 'Theirs', ownerEmail: ` ${named.email} ` });
    assert.deepEqual([invite?.email, invite?.role, invite?.state], [named.email, 'owner', 'open']);
    assert.equal(await heldIn(named.token, team.id), undefined);
    const caller = inTeam(company, team.id);
    assert.deepEqual(await caller.all.listTeamMembers(), [], 'the Team has no Owner yet');
    const joined = await join(service, { token: token ?? '' });
    assert.equal(joined.json<Session>().user.id, named.userId);
    assert.equal((await heldIn(named.token, team.id))?.role, 'owner');
  });

  test('a member who takes a free address does not become the Owner of a Team for it', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const member = await addPasswordHolder(service, company, { teamRole: 'member' });
    const expected = newEmail();
    const body = { email: expected, password: PASSWORD };
    assert.equal(outcome(await member.ask.changeAccount(body)), '200');
    const { team, invite } = await make(admin, { name: 'For the expected person', ownerEmail: expected });
    assert.equal(invite?.state, 'open');
    assert.equal(await heldIn(member.token, team.id), undefined);
    const caller = inTeam(member, team.id);
    assert.equal(outcome(await caller.ask.getSelectedTeam()), '403 team_forbidden');
  });

  test('lists the invite of its Owner to Company Owners, who revoke it, and not to the Admin who made it', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const { team, invite, token } = await make(admin, { name: 'Theirs', ownerEmail: newEmail() });
    const as = (caller: Caller) => inTeam(caller, team.id);
    const list = (caller: Caller) => as(caller).ask.listInvites();
    assert.equal(outcome(await list(admin)), '403 team_forbidden');
    assert.deepEqual((await list(company)).json<{ items: Invite[] }>().items, [invite]);
    const revoked = await as(company).ask.revokeInvite(invite!.id);
    assert.equal(revoked.statusCode, 204);
    assert.equal(outcome(await join(service, { token: token ?? '' })), '410 token_revoked');
  });

  test('invites an unknown email, and the person who joins becomes the Team Owner', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const ownerEmail = newEmail();
    const { team, invite, token, url } = await make(admin, { name: 'For another', ownerEmail });
    assert.ok(invite !== null && token !== null);
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(url, `http://127.0.0.1:${service.config.port}/join#token=${token}`);
    const { email, role, grants, state, createdBy } = invite;
    assert.deepEqual(
      { email, role, grants, state, createdBy },
      { email: ownerEmail, role: 'owner', grants: [], state: 'open', createdBy: admin.userId },
    );
    const days = (Date.parse(invite.expiresAt) - Date.parse(invite.createdAt)) / 86_400_000;
    assert.equal(days, 7);
    assert.equal(await heldIn(admin.token, team.id), undefined);
    const joined = (await join(service, { token })).json<Session>();
    assert.deepEqual(columns(joined.teams, 'id', 'role', 'access'), [[team.id, 'owner', 'full']]);
    assert.equal(joined.company.role, 'member');
  });

  test('refuses two Owners, and trims the name', async () => {
    const company = await service.company();
    for (const [body, path] of [
      [{ name: ' \t ' }, '/name'],
      [{ name: 'x', ownerEmail: ' ' }, '/ownerEmail'],
      [{ name: 'x', ownerEmail: newEmail(), ownerUserId: company.ownerId }, '/ownerEmail'],
      [{ name: 'x', ownerEmail: company.ownerEmail, ownerUserId: newId() }, '/ownerEmail'],
    ] as const) {
      assertInvalid(await company.ask.createTeam(body), path);
    }
    assert.equal((await company.all.listTeams()).length, 1);
  });
});

describe('the Teams of a Company', () => {
  test('lists the Teams newest first in any state, even for an Admin who cannot enter them', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const archived = (await make(company, { name: 'Old' })).team;
    const third = (await make(company, { name: 'Third' })).team;
    await change(company, archived.id, 'archive');
    await service.company();
    for (const limit of [200, 1]) {
      const listed = await admin.readAll<Team>(URL, limit);
      assert.deepEqual(columns(listed, 'id', 'name', 'state'), [
        [third.id, 'Third', 'active'],
        [archived.id, 'Old', 'archived'],
        [company.teamId, 'Test Team', 'active'],
      ]);
    }
    const one = await find(admin, third.id.toUpperCase());
    assert.deepEqual(one.json(), { ...third, quota: { chunks: null, bytes: null } });
  });

  test('renames the Team for everyone, and an unchanged name records no event', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const renamed = await admin.api.renameTeam(company.teamId, { name: 'New' });
    assert.equal(renamed.name, 'New');
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await admin.api.renameTeam(company.teamId, { name: 'New' }), renamed);
    });
    assert.equal((await heldIn(company.token, company.teamId))?.name, 'New');
  });
});

describe('POST /v1/company/teams/:id/archive', () => {
  test('an archived Team is read-only until it is restored', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    const ingest = () => company.ask.ingestSource({ title: 'x', text: newId() });
    assert.equal((await ingest()).statusCode, 201);
    const archived = await change(admin, company.teamId, 'archive');
    assert.deepEqual([archived.statusCode, archived.json<Team>().state], [200, 'archived']);
    assert.equal((await heldIn(company.token, company.teamId))?.state, 'archived');
    assert.equal(outcome(await ingest()), '409 team_archived');
    assert.equal(outcome(await rename(company, company.teamId, 'New')), '409 team_archived');
    assert.equal(outcome(await rename(company, company.teamId, 'Test Team')), '409 team_archived');
    const invite = { email: newEmail(), role: 'member' };
    assert.equal(outcome(await company.ask.createInvite(invite)), '409 team_archived');
    for (const url of ['/v1/team', '/v1/memory/status', '/v1/memory/audit', `${URL}/${company.teamId}`]) {
      assert.equal((await company.send('GET', url)).statusCode, 200, url);
    }
    const restored = await change(admin, company.teamId, 'restore');
    assert.deepEqual([restored.statusCode, restored.json<Team>().state], [200, 'active']);
    assert.equal((await ingest()).statusCode, 201);
  });
});
