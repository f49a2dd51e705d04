import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { CompanyGrant } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Person } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/company/grants';

const give = (company: SignedIn, userId: string, teamId: string, access: string) =>
  company.ask.giveCompanyGrant(userId, teamId, { access });
const take = (company: SignedIn, userId: string, teamId: string) =>
  company.ask.revokeCompanyGrant(userId, teamId);
const grants = (company: SignedIn, limit?: number) => company.readAll<CompanyGrant>(URL, limit);
const addAdmin = (company: SignedIn) => addPerson(service, company, { companyRole: 'admin' });

async function accessOf({ token }: Person, teamId: string): Promise<string | undefined> {
  const { teams } = (await askSession(service, token)).json<Session>();
  return teams.find(({ id }) => id === teamId)?.access;
}

describe('PUT /v1/company/grants/:userId/:teamId', () => {
  test('gives a Company Admin read or full access to the Team from the next request on', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const clientId = await addClient(service, company);
    const write = () => admin.ask.ingestSource({ title: 'x', text: newId() });
    assert.equal(outcome(await write()), '403 team_forbidden');
    const answer = await give(company, admin.userId.toUpperCase(), company.teamId.toUpperCase(), 'read');
    assert.equal(answer.statusCode, 200);
    const { createdAt, ...grant } = answer.json<CompanyGrant>();
    assert.deepEqual(grant, { userId: admin.userId, teamId: company.teamId, access: 'read' });
    assert.equal(await accessOf(admin, company.teamId), 'read');
    assert.equal(outcome(await write()), '403 scope_forbidden');
    const clients = await admin.all.listClients();
    assert.deepEqual(columns(clients, 'id', 'access'), [[clientId, 'read']]);
    const raised = await give(company, admin.userId, company.teamId, 'full');
    assert.deepEqual(raised.json(), { ...grant, access: 'full', createdAt });
    assert.equal(outcome(await write()), '201');
    assert.deepEqual(await grants(company), [{ ...grant, access: 'full', createdAt }]);
  });

  test('changes and records nothing if the Admin already has the grant', async () => {
    const company = await service.company();
    const admin = await addAdmin(company);
    const first = (await give(company, admin.userId, company.teamId, 'read')).json<CompanyGrant>();
    await recordsNothing(service, company, async () => {
      const again = await give(company, admin.userId, company.teamId, 'read');
      assert.deepEqual([again.statusCode, again.json()], [200, first]);
    });
  });

  test('returns 409 for everyone who is not a Company Admin', async () => {
    const company = await service.company();
    const { teamId } = company;
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const member = await addPerson(service, company, { teamRole: 'owner' });
    await recordsNothing(service, company, async () => {
      for (const userId of [company.ownerId, owner.userId, member.userId]) {
        assert.equal(outcome(await give(company, userId, teamId, 'full')), '409 conflict');
      }
    });
    assert.deepEqual(await grants(company), []);
  });
});

describe('a Company grant that is lowered or revoked', () => {
  test('revoking a Company grant ends the access to that Team from the next request on', async () => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const [admin, other] = [await addAdmin(company), await addAdmin(company)];
    for (const [person, team] of [
      [admin, company.teamId],
      [admin, teamId],
      [other, company.teamId],
    ] as const) {
      await give(company, person.userId, team, 'full');
    }
    await company.api.revokeCompanyGrant(admin.userId, company.teamId);
    assert.equal(await accessOf(admin, company.teamId), undefined);
    assert.equal(await accessOf(admin, teamId), 'full');
    assert.equal(await accessOf(other, company.teamId), 'full');
    assert.equal(outcome(await take(company, admin.userId, company.teamId)), '404 not_found');
  });
});

describe('GET /v1/company/grants', () => {
  test('lists the grants of the Company for Owners and Admins, newest first, in pages', async () => {
    const [company, other] = [await service.company(), await service.company()];
    await give(other, (await addAdmin(other)).userId, other.teamId, 'full');
    const admins = [];
    for (let n = 0; n < 5; n += 1) admins.push(await addAdmin(company));
    const given: CompanyGrant[] = [];
    for (const { userId } of admins) {
      given.push((await give(company, userId, company.teamId, 'read')).json<CompanyGrant>());
    }
    const whole = await grants(company);
    const byUser = (list: CompanyGrant[]) => list.toSorted((a, b) => a.userId.localeCompare(b.userId));
    assert.deepEqual(byUser(whole), byUser(given));
    const times = whole.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted().reverse(), 'newest first');
    assert.deepEqual(await grants(company, 2), whole);
    assert.deepEqual(await admins[0]!.readAll(URL, 2), whole);
  });
});
