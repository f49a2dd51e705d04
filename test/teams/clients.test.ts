import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isId, newId } from '../../shared/ids.ts';
import type { Client } from '../../shared/schemas/clients.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/clients';

const list = (caller: Caller, query = '') => caller.readAll<Client>(`${URL}${query}`);
const create = (caller: Caller, body: object) => caller.ask.createClient(body);
const change = (caller: Caller, id: string, body: object) => caller.ask.changeClient(id, body);
const archive = (caller: Caller, id: string) => caller.ask.archiveClient(id);

/** Makes a client through the API. */
async function made(company: SignedIn, name = 'Acme'): Promise<Client> {
  const answer = await create(company, { name });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json<Client>();
}

/** Ids that name no client of the Team, and so must be answered alike. */
async function idsOfOthers(company: SignedIn): Promise<string[]> {
  const stranger = await service.company();
  const teamId = await addTeam(service, company);
  return [
    newId(),
    'no id at all',
    `${newId()}0`,
    await addClient(service, { ...company, teamId }),
    await addClient(service, stranger),
    company.teamId,
  ];
}

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

  test('lists archived clients only for callers with Full access', async () => {
    const company = await service.company();
    const client = await made(company);
    assert.equal((await archive(company, client.id)).statusCode, 204);
    const clients = { [client.id]: 'write' } as const;
    const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
    for (const caller of [company, await person({ teamRole: 'admin' })]) {
      assert.deepEqual(await list(caller, '?state=archived'), [{ ...client, state: 'archived' }]);
      assert.deepEqual(await list(caller), []);
    }
    for (const caller of [
      await person({ teamRole: 'member', clients }),
      await person({ companyRole: 'admin', companyGrant: 'read' }),
    ]) {
      for (const query of ['state=archived', 'state=archived&limit=0', 'state=archived&cursor=x']) {
        const answer = await caller.send('GET', `${URL}?${query}`);
        assert.equal(outcome(answer), '403 full_access_required', query);
      }
    }
  });

  test('returns 400 for an unknown state', async () => {
    const company = await service.company();
    for (const state of ['', 'ARCHIVED', 'deleted', 'active&state=archived']) {
      assertInvalid(await company.ask.listClients({ state }), '/state');
    }
  });

  test('returns stable pages while clients are added', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n++) await addClient(service, company);
    await assertStablePages(company, URL, () => made(company));
  });
});

describe('POST /v1/team/clients', () => {
  test('returns 201 with the new client and records it once', async () => {
    const company = await service.company();
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const name = 'Žluťoučký 株式会社';
    let client: Client | undefined;
    const { events } = await recordedBy(service, company, async () => {
      const answer = await create(admin, { name });
      assert.equal(answer.statusCode, 201, answer.body);
      client = answer.json<Client>();
    });
    assert.ok(client !== undefined && isId(client.id));
    assert.ok(Math.abs(Date.parse(client.createdAt) - Date.now()) < 60_000);
    const { id, createdAt } = client;
    assert.deepEqual(client, { id, name, state: 'active', access: 'write', createdAt });
    assert.deepEqual(await list(company), [client]);
    assert.deepEqual(events, [
      {
        kind: 'team.client_create',
        actorId: admin.userId,
        teamId: company.teamId,
        subjectType: 'client',
        subjectId: id,
        detail: {},
      },
    ]);
  });

  test('hides the new client from members without a grant', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    await made(company);
    assert.deepEqual(await list(member), []);
  });

  test('returns 400 for an invalid body', async () => {
    const company = await service.company();
    await recordsNothing(service, company, async () => {
      for (const [body, path] of [
        [{}, '/name'],
        [{ name: ' \n' }, '/name'],
        [{ name: 'x'.repeat(301) }, '/name'],
        [{ name: 'a\u0000' }, '/name'],
        [{ name: null }, '/name'],
        [{ name: 'x', state: 'active' }, '/state'],
        [{ name: 'x', id: newId() }, '/id'],
      ] as const) {
        assertInvalid(await create(company, body), path);
      }
    });
    assert.deepEqual(await list(company), []);
  });
});

describe('PATCH /v1/team/clients/:id', () => {
  test('renames the client and records the new name once', async () => {
    const company = await service.company();
    const client = await made(company);
    const { events } = await recordedBy(service, company, async () => {
      const answer = await change(company, client.id.toUpperCase(), { name: 'Other' });
      assert.deepEqual([answer.statusCode, answer.json()], [200, { ...client, name: 'Other' }]);
    });
    assert.deepEqual(await list(company), [{ ...client, name: 'Other' }]);
    assert.deepEqual(events, [
      {
        kind: 'team.client_change',
        actorId: company.ownerId,
        teamId: company.teamId,
        subjectType: 'client',
        subjectId: client.id,
        detail: { changed: ['name'] },
      },
    ]);
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

  test('returns 400 unless the body has a name or the state active', async () => {
    const company = await service.company();
    const client = await made(company);
    for (const [body, path] of [
      [{}, '/'],
      [{ name: '' }, '/name'],
      [{ state: 'archived' }, '/state'],
      [{ name: 'x', access: 'read' }, '/access'],
    ] as const) {
      assertInvalid(await change(company, client.id, body), path);
    }
    assert.deepEqual(await list(company), [client]);
  });
});

test('every id that is not a client of the Team returns the same 404', async () => {
  const company = await service.company();
  const ids = await idsOfOthers(company);
  const gone = await made(company);
  assert.equal((await archive(company, gone.id)).statusCode, 204);
  await recordsNothing(service, company, async () => {
    const changed = [...ids, gone.id].map(encodeURIComponent);
    await assertSameRefusal('404 not_found', [
      ...changed.map((id) => change(company, id, { name: 'x' })),
      ...changed.map((id) => archive(company, id)),
      ...changed.slice(0, -1).map((id) => change(company, id, { state: 'active' })),
    ]);
  });
  const rows = await service.database.query(
    `select from identity.client where id = any ($1::uuid[]) and (name <> 'A client' or state <> 'active')`,
    [ids.slice(3, 5)],
  );
  assert.deepEqual(rows, []);
});

test('an archived Team returns 409 for every change of its clients', async () => {
  const company = await service.company();
  const [active, gone] = [await made(company), await made(company, 'Gone')];
  await archive(company, gone.id);
  await archiveTeam(service, company.teamId);
  await recordsNothing(service, company, async () => {
    for (const answer of [
      await create(company, { name: 'x' }),
      await change(company, active.id, { name: 'x' }),
      await change(company, active.id, { name: active.name }),
      await change(company, gone.id, { state: 'active' }),
      await archive(company, active.id),
    ]) {
      assert.equal(outcome(answer), '409 team_archived');
    }
  });
  assert.deepEqual(await list(company), [active]);
  assert.deepEqual(await list(company, '?state=archived'), [{ ...gone, state: 'archived' }]);
});
