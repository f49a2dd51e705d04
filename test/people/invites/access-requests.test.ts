import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/accounts.ts';
import type { AccessRequest } from '../../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordsNothing } from '../../support/company.ts';
import { askSession, outcome } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Caller } from '../../support/team.ts';

const service = await openTestApp();
const URL = '/v1/company/access-requests';

const request = (caller: Caller, body: object) => caller.ask.requestAccess(body);

async function requested(caller: Caller, body: object): Promise<AccessRequest> {
  const answer = await request(caller, body);
  assert.equal(answer.statusCode, 201, answer.body);
  const { redactions, ...made } = answer.json<AccessRequest>();
  assert.deepEqual(redactions, []);
  return made;
}

const decide = (caller: Caller, id: string, verb: 'approve' | 'deny') =>
  caller.send('POST', `${URL}/${id}/${verb}`);

const addAdmin = (company: SignedIn) => addPerson(service, company, { companyRole: 'admin' });

async function accessOf(token: string, teamId: string): Promise<string | undefined> {
  const { teams } = (await askSession(service, token)).json<Session>();
  return teams.find(({ id }) => id === teamId)?.access;
}

async function grantsIn(company: SignedIn): Promise<string[]> {
  const grants = await company.all.listCompanyGrants();
  return grants.map(({ userId, teamId, access }) => `${userId} ${teamId} ${access}`);
}

describe('POST /v1/company/access-requests', () => {
  test('creates an open access request that gives no access', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const { id, createdAt, ...made } = await requested(admin, {
      teamId: company.teamId.toUpperCase(),
      access: 'read',
      reason: 'to see what the Zoo Team learns',
    });
    assert.deepEqual(made, {
      userId: admin.userId,
      teamId: company.teamId,
      access: 'read',
      reason: 'to see what the Zoo Team learns',
      state: 'open',
      decidedBy: null,
    });
    assert.deepEqual(await company.all.listAccessRequests(), [{ id, createdAt, ...made }]);
    assert.equal(await accessOf(admin.token, company.teamId), undefined);
    assert.deepEqual(await grantsIn(company), []);
  });

  test('returns 409 if the caller already has that access, and records no event', async () => {
    const company = await service.company();
    const { teamId } = company;
    const [owner, fullGrant, readGrant, teamAdmin, member, asked] = [
      company,
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' }),
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
      await addPerson(service, company, { companyRole: 'admin', teamRole: 'admin' }),
      await addPerson(service, company, { companyRole: 'admin', teamRole: 'member' }),
      await addAdmin(company),
    ];
    await requested(asked, { teamId, access: 'read' });
    await recordsNothing(service, company, async () => {
      for (const [caller, access] of [
        [owner, 'read'],
        [owner, 'full'],
        [fullGrant, 'full'],
        [fullGrant, 'read'],
        [readGrant, 'read'],
        [teamAdmin, 'read'],
        [teamAdmin, 'full'],
        [asked, 'read'],
        [asked, 'full'],
      ] as const) {
        assert.equal(outcome(await request(caller, { teamId, access })), '409 conflict');
      }
    });
    await requested(readGrant, { teamId, access: 'full' });
    await requested(member, { teamId, access: 'read' });
  });

  test('creates one open request for a Team when six arrive at the same time', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const body = { teamId: company.teamId, access: 'read' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => request(admin, body)));
    assert.deepEqual(answers.map(outcome).sort(), [
      '201',
      ...Array.from({ length: 5 }, () => '409 conflict'),
    ]);
    await requested(admin, { ...body, teamId: await addTeam(service, company) });
    await requested(await addAdmin(company), body);
  });
});

describe('GET /v1/company/access-requests', () => {
  test('lists the requests of an Admin for that Admin and all for an Owner, newest first, in pages', async () => {
    const company = await service.company();
    const [one, two] = [await addAdmin(company), await addAdmin(company)];
    const teams = [company.teamId, await addTeam(service, company), await addTeam(service, company)];
    const made: AccessRequest[] = [];
    for (const teamId of teams) {
      for (const admin of [one, two]) made.unshift(await requested(admin, { teamId, access: 'read' }));
    }
    for (const limit of [200, 2]) {
      assert.deepEqual(await company.readAll(URL, limit), made);
      const own = made.filter(({ userId }) => userId === one.userId);
      assert.deepEqual(await one.readAll(URL, limit), own);
    }
    const other = await service.company();
    assert.deepEqual(await other.all.listAccessRequests(), []);
  });
});

describe('the decision on an access request', () => {
  test('approval gives the access from the next request on', async () => {
    const company = await service.company();
    for (const access of ['read', 'full'] as const) {
      const admin = await addAdmin(company);
      const made = await requested(admin, { teamId: company.teamId, access });
      const approved = { ...made, state: 'approved', decidedBy: company.ownerId };
      assert.deepEqual(await company.api.approveAccessRequest(made.id.toUpperCase()), approved);
      assert.deepEqual(await admin.all.listAccessRequests(), [approved]);
      assert.equal(await accessOf(admin.token, company.teamId), access);
    }
  });

  test('approval raises a Company grant and never lowers one', async () => {
    const company = await service.company();
    const { teamId } = company;
    const raised = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const lower = await addAdmin(company);
    const toFull = await requested(raised, { teamId, access: 'full' });
    const toRead = await requested(lower, { teamId, access: 'read' });
    const grant = `/v1/company/grants/${lower.userId}/${teamId}`;
    assert.equal(outcome(await company.send('PUT', grant, { access: 'full' })), '200');
    for (const { id } of [toFull, toRead]) assert.equal(outcome(await decide(company, id, 'approve')), '200');
    assert.deepEqual(
      (await grantsIn(company)).sort(),
      [raised, lower].map(({ userId }) => `${userId} ${teamId} full`).sort(),
    );
  });

  test('denial gives no access, and the Admin can ask again', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const body = { teamId: company.teamId, access: 'full' };
    const made = await requested(admin, body);
    const answer = await decide(company, made.id, 'deny');
    assert.deepEqual(answer.json(), { ...made, state: 'denied', decidedBy: company.ownerId });
    assert.deepEqual(await grantsIn(company), []);
    assert.notEqual((await requested(admin, body)).id, made.id);
  });
  test('returns 409 for a second decision and changes nothing', async () => {
    const company = await service.company();
    for (const [first, then] of [
      ['approve', 'deny'],
      ['approve', 'approve'],
      ['deny', 'approve'],
      ['deny', 'deny'],
    ] as const) {
      const admin = await addAdmin(company);
      const { id } = await requested(admin, { teamId: company.teamId, access: 'read' });
      assert.equal(outcome(await decide(company, id, first)), '200');
      const before = await grantsIn(company);
      await recordsNothing(service, company, async () => {
        assert.equal(outcome(await decide(company, id, then)), '409 conflict', `${first}, ${then}`);
      });
      assert.deepEqual(await grantsIn(company), before);
    }
  });
});
