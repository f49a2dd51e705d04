import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { type Chunk, NO_PLACE } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const expand = (caller: Caller, body: object) => caller.ask.expandChunk(body);

async function ordinals(caller: Caller, body: object): Promise<number[]> {
  const answer = await expand(caller, body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ chunks: Chunk[] }>().chunks.map((chunk) => chunk.ordinal);
}

/** Stores a source of so many chunks and returns the chunks' ids, in order. */
async function store(company: SignedIn, length: number, clientId?: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    'select id from memory.chunk where source_id = $1 order by ordinal',
    [
      (
        await company.api.ingestSource({
          title: 'A title',
          chunks: Array.from({ length }, (_, n) => ({ text: `Part ${n} of ${newId()}` })),
          scope: { clientId },
        })
      ).source.id,
    ],
  );
  return rows.map((row) => row.id);
}

describe('POST /v1/memory/expand', () => {
  test('returns the chunk with up to two neighbours on each side, or as many as requested, in order', async () => {
    const company = await service.company();
    const ids = await store(company, 30);
    await store(company, 30);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10] }), [8, 9, 10, 11, 12]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10]?.toUpperCase() }), [8, 9, 10, 11, 12]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10], before: 0, after: 0 }), [10]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[10], before: 1, after: 3 }), [9, 10, 11, 12, 13]);
    assert.equal((await ordinals(company, { chunkId: ids[15], before: 10, after: 10 })).length, 21);
    assert.deepEqual(await ordinals(company, { chunkId: ids[0] }), [0, 1, 2]);
    assert.deepEqual(await ordinals(company, { chunkId: ids[29] }), [27, 28, 29]);
  });

  test('returns chunks with the fields of a search hit, except score and ranks', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const [chunkId] = await store(company, 1, clientId);
    const { chunks } = (await expand(company, { chunkId })).json<{ chunks: Chunk[] }>();
    const [row] = await database.query<{ source_id: string; text: string; created_at: Date }>(
      'select source_id, text, created_at from memory.chunk where id = $1',
      [chunkId],
    );
    assert.deepEqual(chunks, [
      {
        chunk_id: chunkId,
        source_id: row?.source_id,
        title: 'A title',
        uri: null,
        text: row?.text,
        ordinal: 0,
        layer: 'client',
        client_id: clientId,
        kind: 'ingest',
        tags: [],
        created_at: row?.created_at.toISOString(),
        occurred_at: null,
        location: { document_title: null, ...NO_PLACE },
      },
    ]);
  });

  test('covers everything that the caller can read without a scope, and only the scope if there is one', async () => {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    const [ofTeam] = await store(company, 1);
    const [ofMine] = await store(company, 1, mine);
    const [ofOther] = await store(company, 1, other);
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } });
    const cases: [caller: Caller, scope: object | undefined, reached: (string | undefined)[]][] = [
      [company, undefined, [ofTeam, ofMine, ofOther]],
      [company, {}, [ofTeam]],
      [company, { include: ['client'] }, [ofMine, ofOther]],
      [company, { clientId: mine }, [ofTeam, ofMine]],
      [company, { clientId: mine, include: ['client'] }, [ofMine]],
      [member, undefined, [ofTeam, ofMine]],
      [member, { include: ['team', 'client'] }, [ofTeam, ofMine]],
      [member, { clientId: mine, include: ['client'] }, [ofMine]],
    ];
    for (const [caller, scope, reached] of cases) {
      for (const chunkId of [ofTeam, ofMine, ofOther]) {
        const expected = reached.includes(chunkId) ? [0] : [];
        assert.deepEqual(await ordinals(caller, { chunkId, scope }), expected, JSON.stringify(scope));
      }
    }
  });

  test('returns the same empty list for a chunk that is out of scope, unknown or malformed', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const [client, archived] = [await addClient(service, company), await addClient(service, company)];
    const [ofTeam] = await store(company, 3);
    const [ofClient] = await store(company, 3, client);
    const [ofArchived] = await store(company, 3, archived);
    await database.query(`update identity.client set state = 'archived' where id = $1`, [archived]);
    const [ofStranger] = await store(stranger, 3);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const elsewhere = inTeam(company, await addTeam(service, company));
    const answers = [
      await expand(member, { chunkId: ofClient }),
      await expand(member, { chunkId: ofClient, scope: { include: ['client'] } }),
      await expand(company, { chunkId: ofArchived }),
      await expand(company, { chunkId: ofStranger }),
      await expand(elsewhere, { chunkId: ofTeam }),
      await expand(company, { chunkId: ofClient, scope: {} }),
      await expand(company, { chunkId: newId() }),
      await expand(company, { chunkId: '' }),
      await expand(company, { chunkId: 'nonsense' }),
      await expand(company, { chunkId: 'x'.repeat(100_000) }),
      await expand(company, { chunkId: `${ofTeam}'--`, before: 10 }),
    ];
    for (const { statusCode, body, headers } of answers) {
      assert.equal(statusCode, 200);
      assert.equal(body, '{"chunks":[]}');
      assert.deepEqual(Object.keys(headers), Object.keys(answers[0]!.headers));
    }
  });
});
