import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../shared/schemas/clients.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { assertInvalid } from '../support/refusals.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, addTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/clients';

const list = (caller: Caller, query = '') => caller.readAll<Client>(`${URL}${query}`);
const change = (caller: Caller, id: string, body: object) => caller.ask.changeClient(id, body);
const archive = (caller: Caller, id: string) => caller.ask.archiveClient(id);

/** Makes a client through the API. */
const made = (company: SignedIn, name = 'Acme') => company.api.createClient({ name });

describe('GET /v1/team/clients', () => {
  test('lists the clients that the caller can see, with the access, newest first', async () => {
    const company = await service.company();
    const [a, b, c] = [await made(company, 'A'), await made(company, 'B'), await made(company, 'C')];
    await addClient(service, { ...company, teamId: await addTeam(service, company) });
    const gone = await addClient(service, company, 'archived');
    const clients = { [a.id]: 'read', [c.id]: 'write', [gone]: 'write' } as const;
    const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
    const as = (...access: (Client['access'] | null)[]) =>
      [c, b, a].flatMap((client, index) => {
        const held = access[index] ?? null;
        return held === null ? [] : [{ ...client, access: held }];
      });
    const cases: [caller: Caller, seen: Client[]][] = [
      [company, as('write', 'write', 'write')],
      [await person({ companyRole: 'owner' }), as('write', 'write', 'write')],
      [await person({ teamRole: 'admin' }), as('write', 'write', 'write')],
      [await person({ companyRole: 'admin', companyGrant: 'full' }), as('write', 'write', 'write')],
      [await person({ companyRole: 'admin', companyGrant: 'read' }), as('read', 'read', 'read')],
      [
        await person({ companyRole: 'admin', companyGrant: 'read', teamRole: 'member', clients }),
        as('write', 'read', 'read'),
      ],
      [await person({ teamRole: 'member', clients }), as('write', null, 'read')],
      [await person({ teamRole: 'member' }), []],
    ];
    for (const [index, [caller, seen]] of cases.entries()) {
      assert.deepEqual(await list(caller), seen, `case ${index}`);
      assert.deepEqual(await list(caller, '?state=active'), seen, `case ${index}`);
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
