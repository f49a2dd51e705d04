import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../shared/schemas/clients.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { assertInvalid } from '../support/refusals.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/clients';

const list = (caller: Caller, query = '') => caller.readAll<Client>(`${URL}${query}`);
const change = (caller: Caller, id: string, body: object) => caller.ask.changeClient(id, body);
const archive = (caller: Caller, id: string) => caller.ask.archiveClient(id);

/** Makes a client through the API. */
const made = (company: SignedIn, name = 'Acme') => company.api.createClient({ name });

describe('GET /v1/team/clients', () => {
  test('lists the clients that the caller can see, with the higher access of two, newest first', async () => {
    const company = await service.company();
    const [a, b, c] = [await made(company, 'A'), await made(company, 'B'), await made(company, 'C')];
    const gone = await addClient(service, company, 'archived');
    const clients = { [a.id]: 'read', [c.id]: 'write', [gone]: 'write' } as const;
    const ties = { teamRole: 'member', clients } as const;
    const member = await addPerson(service, company, ties);
    const reader = await addPerson(service, company, { ...ties, companyRole: 'admin', companyGrant: 'read' });
    const as = (client: Client, access: Client['access']) => ({ ...client, access });
    for (const query of ['', '?state=active']) {
      assert.deepEqual(await list(member, query), [as(c, 'write'), as(a, 'read')]);
      assert.deepEqual(await list(reader, query), [as(c, 'write'), as(b, 'read'), as(a, 'read')]);
    }
  });

  test('lists archived clients to callers with Full access', async () => {
    const company = await service.company();
    const client = await made(company);
    assert.equal((await archive(company, client.id)).statusCode, 204);
    for (const caller of [company, await addPerson(service, company, { teamRole: 'admin' })]) {
      assert.deepEqual(await list(caller, '?state=archived'), [{ ...client, state: 'archived' }]);
      assert.deepEqual(await list(caller), []);
    }
  });

  test('returns stable pages while clients are added', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n++) await addClient(service, company);
    await assertStablePages(company, URL, () => made(company));
  });
});

describe('POST /v1/team/clients', () => {
  test('returns the new client', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const name = 'Žluťoučký 株式会社';
    const client = await admin.api.createClient({ name });
    assert.ok(Math.abs(Date.parse(client.createdAt) - Date.now()) < 60_000);
    const { id, createdAt } = client;
    assert.deepEqual(client, { id, name, state: 'active', access: 'write', createdAt });
    assert.deepEqual(await list(company), [client]);
  });
});

describe('PATCH /v1/team/clients/:id', () => {
  test('renames the client', async () => {
    const company = await service.company();
    const client = await made(company);
    const renamed = await company.api.changeClient(client.id.toUpperCase(), { name: 'Other' });
    assert.deepEqual(renamed, { ...client, name: 'Other' });
    assert.deepEqual(await list(company), [{ ...client, name: 'Other' }]);
  });

  test('changes and records nothing if the values are the current ones', async () => {
    const company = await service.company();
    const client = await made(company);
    await recordsNothing(service, company, async () => {
      for (const body of [
        { name: client.name },
        { state: 'active' },
        { name: client.name, state: 'active' },
      ]) {
        const answer = await change(company, client.id, body);
        assert.deepEqual([answer.statusCode, answer.json()], [200, client]);
      }
    });
  });

  test('refuses a body that changes nothing', async () => {
    const company = await service.company();
    const client = await made(company);
    assertInvalid(await change(company, client.id, {}), '/');
  });
});
