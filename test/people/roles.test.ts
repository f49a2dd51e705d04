import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { addPerson, addTeam, type Person } from '../support/team.ts';

const service = await openTestApp();

/** An Admin with two grants, an open access request, and a role of their own in a Team. */
async function addBusyAdmin(company: SignedIn) {
  const [granted, wanted] = [await addTeam(service, company), await addTeam(service, company)];
  const admin = await addPerson(service, company, { companyRole: 'admin', teamRole: 'admin' });
  for (const teamId of [granted, company.teamId]) {
    await company.api.giveCompanyGrant(admin.userId, teamId, { access: 'full' });
  }
  const { id: requestId } = await admin.api.requestAccess({ teamId: wanted, access: 'read' });
  return { admin, requestId };
}

/** How many Company grants someone has, and the access requests of theirs. */
async function heldBy(company: SignedIn, { userId }: Person) {
  const isTheirs = (one: { userId: string }) => one.userId === userId;
  const requests = (await company.all.listAccessRequests()).filter(isTheirs);
  return {
    grants: (await company.all.listCompanyGrants()).filter(isTheirs).length,
    requests: columns(requests, 'id', 'state', 'decidedBy'),
  };
}

// Which invites are revoked, is tested in `invites/lost-right.test.ts`.
describe('a Company Admin who loses the role', () => {
  test('loses the grants and open requests for good, and nothing else; others lose nothing', async () => {
    const company = await service.company();
    const { ownerId, teamId } = company;
    const { admin, requestId } = await addBusyAdmin(company);
    const earlier = await admin.api.requestAccess({
      teamId: await addTeam(service, company),
      access: 'read',
    });
    await company.api.approveAccessRequest(earlier.id);
    const other = await addBusyAdmin(company);
    for (const role of ['member', 'admin']) {
      await company.api.changeCompanyRole(admin.userId, { role });
      const requests = [
        [earlier.id, 'approved', ownerId],
        [requestId, 'denied', ownerId],
      ];
      assert.deepEqual(await heldBy(company, admin), { grants: 0, requests }, role);
      const { teams } = await admin.api.getSession();
      assert.deepEqual(columns(teams, 'id', 'access'), [[teamId, 'full']]);
    }
    const requests = [[other.requestId, 'open', null]];
    assert.deepEqual(await heldBy(company, other.admin), { grants: 2, requests });
  });

  test('loses an open invitation to become an Admin, but not an invite into a Team', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, {});
    const email = `person-${userId}@example.com`;
    await makeInvitation(company, { email });
    await makeInvite(service, company, { email });
    for (const [role, state] of [
      ['admin', 'open'],
      ['member', 'revoked'],
    ] as const) {
      await company.api.changeCompanyRole(userId, { role });
      assert.equal((await company.all.listInvitations())[0]?.state, state);
      assert.equal((await company.all.listInvites())[0]?.state, 'open');
    }
  });
});
