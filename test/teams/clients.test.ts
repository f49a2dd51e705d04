import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../shared/schemas/clients.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { plantImport } from '../support/import-records.ts';
import { newEmail } from '../support/invites.ts';
import { addMemory } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, along, type Caller, CLAIM, readStatus } from '../support/team.ts';

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

const BOTH = { include: ['team', 'client'] };

const bringBack = (caller: Caller, id: string) => caller.ask.changeClient(id, { state: 'active' });

const search = (caller: Caller, scope: object) =>
  caller.ask.searchMemory({ query: 'ibis', scope, queryEmbedding: along(1), ...CLAIM });

async function ingest(caller: Caller, text: string, clientId: string): Promise<void> {
  await caller.api.ingestSource({
    title: 'x',
    chunks: [{ text, embedding: along(1) }],
    ...CLAIM,
    scope: { clientId },
  });
}

/** A Team with two clients that have the same content, and every caller who can see the first. */
async function cast() {
  const company = await service.company();
  const [clientId, other] = [await addClient(service, company), await addClient(service, company)];
  const clients = { [clientId]: 'write', [other]: 'read' } as const;
  for (const id of [clientId, other]) await plantImport(service, company, { clientId: id });
  for (const id of [clientId, other]) {
    await ingest(company, `ibis ${id}`, id);
    await addMemory(company, 'review', { content: `Said of ${id}.` }, id);
  }
  const [chunk] = await service.database.query<{ id: string }>(
    'select id from memory.chunk where team_id = $1 and layer_id = $2',
    [company.teamId, clientId],
  );
  const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
  const member = await person({ teamRole: 'member', clients });
  return {
    company,
    clientId,
    other,
    member,
    chunkId: chunk!.id,
    everyone: [
      company,
      await person({ teamRole: 'admin' }),
      await person({ companyRole: 'admin', companyGrant: 'read' }),
      member,
    ] as Caller[],
  };
}

/** The client ids in every response in which a client can appear. */
async function seenBy(caller: Caller, chunkId: string) {
  const clients = await caller.all.listClients();
  const grants = await caller.all.listClientGrants();
  const [sources, imports] = [await caller.all.listSources(), await caller.all.listImports()];
  const memories = await caller.ask.listMemories();
  const answer = await search(caller, BOTH);
  const { hits } = answer.json<{ hits: Hit[] }>();
  const expanded = await caller.ask.expandChunk({ chunkId });
  const status = await readStatus(caller);
  const { queued, running, completed, failed } = status.imports;
  return {
    team: (await caller.api.getSelectedTeam()).clients,
    clients: clients.map(({ id }) => id),
    grants: grants.map((grant) => grant.clientId),
    sources: sources.map((source) => source.clientId),
    memories: memories.statusCode === 200 ? memories.json().items.map((memory) => memory.clientId) : null,
    imports: imports.map((item) => item.clientId),
    hits: hits.map((hit) => hit.client_id),
    chunks: expanded.json<{ chunks: Chunk[] }>().chunks.map((chunk) => chunk.client_id),
    counted: [
      status.sources.active,
      status.chunks.total,
      queued + running + completed + failed,
      status.memories.review,
      status.captures.completed,
    ],
  };
}

describe('an archived client', () => {
  test('an archived client disappears from every response, for every caller', async () => {
    const { company, clientId, other, everyone, chunkId } = await cast();
    for (const caller of everyone) {
      const before = await seenBy(caller, chunkId);
      assert.deepEqual(before.clients, [other, clientId]);
      assert.deepEqual([...before.hits].sort(), [clientId, other].sort());
      assert.deepEqual(before.chunks, [clientId]);
    }
    assert.equal((await archive(company, clientId)).statusCode, 204);
    for (const [index, caller] of everyone.entries()) {
      const { grants, counted, memories, ...seen } = await seenBy(caller, chunkId);
      const shown = { team: 1, clients: [other], sources: [other], imports: [other], hits: [other] };
      assert.deepEqual(seen, { ...shown, chunks: [] });
      assert.deepEqual(memories ?? [other], [other]);
      assert.ok(!grants.includes(clientId), `caller ${index}`);
      assert.deepEqual(counted, [1, 1, 1, 1, 1]);
    }
  });

  test('an invite hides its grants on the archived client until it is restored', async () => {
    const { company, clientId, other } = await cast();
    const grants = [
      { clientId, access: 'read' },
      { clientId: other, access: 'write' },
    ];
    const body = { email: newEmail(), role: 'member', grants };
    assert.equal((await company.ask.createInvite(body)).statusCode, 201);
    const shown = async () => (await company.all.listInvites())[0]?.grants;
    assert.deepEqual(await shown(), grants);
    await archive(company, clientId);
    assert.deepEqual(await shown(), grants.slice(1));
    await bringBack(company, clientId);
    assert.deepEqual(await shown(), grants);
  });

  test('a restored client has the same content and grants as before', async () => {
    const { company, clientId, everyone, chunkId } = await cast();
    const seen = () =>
      Promise.all(
        everyone.map(async (caller) => {
          const { hits, ...rest } = await seenBy(caller, chunkId);
          return { ...rest, hits: hits.sort() };
        }),
      );
    const before = await seen();
    await archive(company, clientId);
    const { state, name } = await company.api.changeClient(clientId, { state: 'active' });
    assert.deepEqual([state, name], ['active', 'A client']);
    assert.deepEqual(await seen(), before);
  });
});
