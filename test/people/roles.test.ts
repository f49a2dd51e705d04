import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { join, newEmail } from '../support/invites.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addPerson, addTeam, type Caller, inTeam, type Person } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

interface Issued {
  id: string;
  token: string;
}

async function inviteInto(caller: Caller, teamId: string, email = newEmail()): Promise<Issued> {
  const body = { email, role: 'admin' };
  const { invite, token } = await inTeam(caller, teamId).api.createInvite(body);
  return { id: invite.id, token };
}

/** Makes a Team for someone who has no account yet: the invite is as its Owner. */
async function inviteOwner(caller: Caller): Promise<Issued> {
  const body = { name: `A new Team ${newId()}`, ownerEmail: newEmail() };
  const { invite, token } = await caller.api.createTeam(body);
  return { id: invite!.id, token: token! };
}

async function inviteAdmin(caller: Caller, email = newEmail()): Promise<Issued> {
  const { invitation, token } = await caller.api.createInvitation({ email });
  return { id: invitation.id, token };
}

async function requestAccess(caller: Caller, teamId: string): Promise<string> {
  const body = { teamId, access: 'read' };
  return (await caller.api.requestAccess(body)).id;
}

async function setRole(company: SignedIn, userId: string, role: string): Promise<void> {
  await company.api.changeCompanyRole(userId, { role });
}

async function grant(company: SignedIn, userId: string, teamId: string): Promise<void> {
  const url = `/v1/company/grants/${userId}/${teamId}`;
  assert.equal((await company.send('PUT', url, { access: 'full' })).statusCode, 200);
}

/** Which of these invites and invitations are open. */
async function openOf(invites: Record<string, Issued>): Promise<string[]> {
  const states: string[] = [];
  for (const [name, { id }] of Object.entries(invites)) {
    const rows = await database.query(
      `select from identity.invite i where id = $1 and identity.invite_state(i.used_at, i.revoked_at, i.expires_at) = 'open'`,
      [id],
    );
    if (rows.length === 1) states.push(name);
  }
  return states;
}

/** An Admin with everything that the role brings, and with a role of their own in a Team. */
async function addBusyAdmin(company: SignedIn) {
  const granted = await addTeam(service, company);
  const wanted = await addTeam(service, company);
  const admin = await addPerson(service, company, { companyRole: 'admin', teamRole: 'admin' });
  await grant(company, admin.userId, granted);
  await grant(company, admin.userId, company.teamId);
  const invites = {
    byRole: await inviteInto(admin, company.teamId),
    byGrant: await inviteInto(admin, granted),
    asOwner: await inviteOwner(admin),
  };
  return { admin, granted, wanted, invites, requestId: await requestAccess(admin, wanted) };
}

const grantsOf = async (company: SignedIn, { userId }: Person) =>
  (await company.all.listCompanyGrants()).filter((held) => held.userId === userId);

const requestsOf = async (company: SignedIn, { userId }: Person) =>
  (await company.all.listAccessRequests())
    .filter((made) => made.userId === userId)
    .map(({ id, state, decidedBy }) => ({ id, state, decidedBy }));

const teamsOf = async ({ token }: Person) =>
  (await askSession(service, token)).json<Session>().teams.map(({ id, access }) => [id, access]);

describe('a Company Admin who loses the role', () => {
  test('the former Admin loses only the grants, requests and invites that depend on the role', async () => {
    const company = await service.company();
    const { admin, invites, requestId } = await addBusyAdmin(company);
    const { events } = await recordedBy(service, company, () => setRole(company, admin.userId, 'member'));
    assert.deepEqual(await grantsOf(company, admin), []);
    assert.deepEqual(await requestsOf(company, admin), [
      { id: requestId, state: 'denied', decidedBy: company.ownerId },
    ]);
    assert.deepEqual(await openOf(invites), ['byRole']);
    assert.deepEqual(await teamsOf(admin), [[company.teamId, 'full']]);
    const refused = async ({ token }: Issued) => outcome(await join(service, { token }));
    assert.equal(await refused(invites.byGrant), '410 token_revoked');
    assert.equal(await refused(invites.asOwner), '410 token_revoked');
    assert.equal(await refused(invites.byRole), '201');
    assert.equal(events.length, 1, 'one event tells of all of it');
    assert.deepEqual(
      new Set(events[0]?.detail['revokedInvites'] as string[]),
      new Set([invites.byGrant.id, invites.asOwner.id]),
    );
  });

  test('the grants, requests and invites of others and earlier decisions do not change', async () => {
    const company = await service.company();
    const { admin, granted, requestId } = await addBusyAdmin(company);
    const approve = `/v1/company/access-requests/${requestId}/approve`;
    assert.equal((await company.send('POST', approve)).statusCode, 200);
    const other = await addBusyAdmin(company);
    await grant(company, other.admin.userId, granted);
    await setRole(company, admin.userId, 'member');
    assert.deepEqual(await requestsOf(company, admin), [
      { id: requestId, state: 'approved', decidedBy: company.ownerId },
    ]);
    assert.equal((await grantsOf(company, other.admin)).length, 3);
    assert.deepEqual(await requestsOf(company, other.admin), [
      { id: other.requestId, state: 'open', decidedBy: null },
    ]);
    assert.deepEqual(await openOf(other.invites), ['byRole', 'byGrant', 'asOwner']);
  });

  test('the former Admin does not get the grants and invites back with the role', async () => {
    const company = await service.company();
    const { admin, invites, requestId } = await addBusyAdmin(company);
    await setRole(company, admin.userId, 'member');
    await setRole(company, admin.userId, 'admin');
    assert.deepEqual(await grantsOf(company, admin), []);
    assert.deepEqual(await requestsOf(company, admin), [
      { id: requestId, state: 'denied', decidedBy: company.ownerId },
    ]);
    assert.deepEqual(await openOf(invites), ['byRole']);
    const session = (await askSession(service, admin.token)).json<Session>();
    assert.deepEqual(column(session.teams, 'id'), [company.teamId]);
  });

  test('an open invitation to the former Admin is revoked, but not an invite into a Team', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, {});
    const email = `person-${person.userId}@example.com`;
    const invitation = await inviteAdmin(company, email);
    const invite = await inviteInto(company, company.teamId, email);
    await setRole(company, person.userId, 'admin');
    assert.deepEqual(await openOf({ invitation, invite }), ['invitation', 'invite']);
    await setRole(company, person.userId, 'member');
    assert.deepEqual(await openOf({ invitation, invite }), ['invite']);
  });
});
