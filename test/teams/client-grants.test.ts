import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientGrant } from '../../shared/schemas/people.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { accessToClient, REACHES_NOTHING, READS, WRITES } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, type Caller, type Person } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/grants';
type Access = ClientGrant['access'];

const list = (caller: Caller) => caller.all.listClientGrants();
const put = (caller: Caller, userId: string, clientId: string, body: object = { access: 'read' }) =>
  caller.ask.giveClientGrant(userId, clientId, body);
const take = (caller: Caller, userId: string, clientId: string) =>
  caller.ask.revokeClientGrant(userId, clientId);
const access = (company: SignedIn, { token }: Person, clientId: string) =>
  accessToClient(service, company, token, clientId);

async function cast() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member' });
  return { company, clientId, member };
}

async function given(caller: Caller, userId: string, clientId: string, level: Access): Promise<ClientGrant> {
  const answer = await put(caller, userId, clientId, { access: level });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ClientGrant>();
}

describe('GET /v1/team/grants', () => {
  test('lists all grants for callers with Full access, and for others their own', async () => {
    const { company, clientId, member } = await cast();
    const colleague = await addPerson(service, company, { teamRole: 'member' });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const own = await given(company, member.userId, clientId, 'read');
    const other = await given(company, colleague.userId, clientId, 'write');
    assert.deepEqual(await list(company), [other, own]);
    assert.deepEqual(await list(member), [own]);
    assert.deepEqual(await list(colleague), [other]);
    assert.deepEqual(await list(reader), []);
  });

  test('returns stable pages while grants are added', async () => {
    const { company, member } = await cast();
    const give = async () => put(company, member.userId, await addClient(service, company));
    for (let n = 0; n < 5; n++) await give();
    await assertStablePages(company, URL, give);
    await assertStablePages(member, URL, give);
  });
});

describe('a client grant', () => {
  test('a grant can be given, changed and revoked, each with effect on the next request', async () => {
    const { company, clientId, member } = await cast();
    const bystander = await addPerson(service, company, { teamRole: 'member' });
    const reach = async () => {
      const clients = await member.all.listClients();
      return [await access(company, member, clientId), clients.map((client) => client.access)];
    };
    assert.deepEqual(await reach(), [REACHES_NOTHING, []]);
    const first = await given(company, member.userId, clientId, 'read');
    assert.deepEqual(await reach(), [READS, ['read']]);
    const { createdAt } = first;
    assert.deepEqual(first, { userId: member.userId, clientId, access: 'read', createdAt });
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);

    const second = await given(company, member.userId.toUpperCase(), clientId.toUpperCase(), 'write');
    assert.deepEqual(second, { ...first, access: 'write' });
    assert.deepEqual(await reach(), [WRITES, ['write']]);
    assert.deepEqual(await list(company), [second]);

    const answer = await take(company, member.userId, clientId);
    assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    assert.deepEqual(await reach(), [REACHES_NOTHING, []]);
    assert.deepEqual(await list(company), []);
    assert.deepEqual(await access(company, bystander, clientId), REACHES_NOTHING);
  });

  test('a grant that is there already, or not there any more, records no event', async () => {
    const { company, clientId, member } = await cast();
    const first = await given(company, member.userId, clientId, 'read');
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await given(company, member.userId, clientId, 'read'), first);
    });
    await take(company, member.userId, clientId);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await take(company, member.userId, clientId)), '404 not_found');
    });
  });

  test('a grant adds nothing to Full access and remains after Full access is lost', async () => {
    const { company, clientId } = await cast();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    await given(company, admin.userId, clientId, 'read');
    assert.deepEqual(await access(company, admin, clientId), WRITES);
    const demoted = await company.ask.changeTeamRole(admin.userId, {
      role: 'member',
    });
    assert.equal(demoted.statusCode, 200);
    assert.deepEqual(await access(company, admin, clientId), READS);
  });
});
