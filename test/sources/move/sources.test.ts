import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import type { Body } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { readImport } from '../../support/import-records.ts';
import { addMemory } from '../../support/memories.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, archived, listSources, readSource } from '../../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../../support/team.ts';
import { move, moved, rowsIn } from './moving.ts';

const service = await openTestApp();
const { database } = service;

/** A Team with two clients. */
async function teamWithClients() {
  const company = await service.company();
  return { company, a: await addClient(service, company), b: await addClient(service, company) };
}

const scopeOf = (clientId: string | null) =>
  clientId === null ? {} : { clientId, include: ['client' as const] };

/** The hits of a search by words, and of one by meaning, in one layer. */
async function hitsIn(caller: Caller, clientId: string | null, vector = along(1)): Promise<[Hit[], Hit[]]> {
  const hits = async (body: Body<'searchMemory'>) => {
    return (await caller.api.searchMemory({ scope: scopeOf(clientId), ...body })).hits;
  };
  return [
    await hits({ query: 'ocelot', embeddingMode: 'keyword' }),
    await hits({ query: 'unrelated', queryEmbedding: vector, ...CLAIM }),
  ];
}

/** Turns a source into that of a completed import of a file, as the worker would. */
async function asImport(company: SignedIn, sourceId: string, filename: string): Promise<string> {
  const id = newId();
  await database.query(
    `update memory.source set kind = 'import', metadata = jsonb_build_object('filename', $2::text) where id = $1`,
    [sourceId, filename],
  );
  await database.query(
    `insert into memory.import (team_id, layer_id, id, state, filename, title, media_type, bytes, source_id, created_by)
     values ($1, $1, $2, 'completed', $3, $3, 'text/plain', 1, $4, $5)`,
    [company.teamId, id, filename, sourceId, company.ownerId],
  );
  await database.query(
    `insert into memory.import_payload (team_id, layer_id, import_id, content) values ($1, $1, $2, 'x')`,
    [company.teamId, id],
  );
  return id;
}

describe('a source that is moved', () => {
  test('takes along everything that belongs to it, and keeps its ids and times', async () => {
    const { company, a, b } = await teamWithClients();
    const text = 'the ocelot sleeps in the old tree and wakes when the night begins again';
    const chunks = [{ text, embedding: along(1) }, { text: 'the ocelot wakes' }];
    const source = await addSource(company, { title: 'Cats', chunks, tags: ['cat'], ...CLAIM });
    const importId = await asImport(company, source.id, 'a.txt');
    const before = await readSource(company, source.id);
    const rows = await rowsIn(service, company, null);
    assert.deepEqual(rows, {
      chunk: 2,
      chunk_embedding: 1,
      chunk_keyword: 2,
      embedding_pending: 1,
      import: 1,
      import_payload: 1,
      source: 1,
      source_sketch: 1,
    });
    for (const to of [a, b, null, b]) {
      const after = await moved(company, source.id, to);
      assert.deepEqual([after.layer, after.clientId], [to === null ? 'team' : 'client', to]);
      for (const layer of [null, a, b]) {
        assert.deepEqual(await rowsIn(service, company, layer), layer === to ? rows : {});
        const hits = await hitsIn(company, layer);
        const found = hits.map((some) => some.map(({ client_id }) => client_id));
        assert.deepEqual(found, layer === to ? [[to, to], [to]] : [[], []]);
        assert.deepEqual(
          (await listSources(company, layer === null ? '' : `?clientId=${layer}`)).length,
          layer === null || layer === to ? 1 : 0,
        );
      }
      assert.equal((await readImport(company, importId)).clientId, to);
    }
    const after = await readSource(company, source.id);
    assert.ok(after.updatedAt > before.updatedAt);
    const moves = { layer: 'client', clientId: b, updatedAt: after.updatedAt };
    const chunksMoved = before.chunks.map((chunk) => ({ ...chunk, layer: 'client', client_id: b }));
    assert.deepEqual(
      { ...after, opened: 0, found: 0, lastFoundAt: null },
      { ...before, ...moves, chunks: chunksMoved, opened: 0, found: 0, lastFoundAt: null },
    );
  });

  test('is counted by the status in its new layer alone, with its chunks that wait for a vector', async () => {
    const { company, a } = await teamWithClients();
    const outsider = await addPerson(service, company, { teamRole: 'member' });
    const chunks = [{ text: 'one', embedding: along(1) }, { text: 'two' }, { text: 'three' }];
    const { id } = await addSource(company, { chunks, ...CLAIM });
    for (const [to, active, total, embedded, pending] of [
      [a, 0, 0, 0, 0],
      [null, 1, 3, 1, 2],
    ] as const) {
      await moved(company, id, to);
      const { sources, chunks: counted } = await outsider.api.getStatus();
      assert.deepEqual([sources.active, counted], [active, { total, embedded, pending }]);
    }
  });

  test('has chunks that wait for a vector, which can be claimed again at once by those who can write there', async () => {
    const { company, a } = await teamWithClients();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await addSource(company);
    const claim = async (caller: Caller) => (await caller.api.claimEmbeddings({})).batch;
    const lost = await claim(member);
    assert.equal(lost?.chunks.length, 1);
    await moved(company, id, a);
    const embeddings = lost.chunks.map(({ chunkId }) => ({ chunkId, embedding: along(1) }));
    const late = await member.api.completeEmbeddings({ batchId: lost.id, ...CLAIM, embeddings });
    assert.equal(late.embedded, 0);
    assert.equal(await claim(member), null);
    assert.deepEqual((await claim(company))?.chunks, lost.chunks);
  });

  test('leaves the oldest of other files with its text as the first, and is the first in its new layer', async () => {
    const { company, a } = await teamWithClients();
    const sources: Source[] = [];
    for (const filename of ['a.txt', 'b.txt', 'c.txt']) {
      const source = await addSource(company, { text: filename });
      await asImport(company, source.id, filename);
      sources.push(source);
    }
    const [first, second, third] = sources.map(({ id }) => id);
    assert.ok(first && second && third);
    await database.query(
      `update memory.source set same_as = case when id <> $1 then $1::uuid end,
              content_hash = (select content_hash from memory.source where id = $1) where id = any ($2::uuid[])`,
      [first, [first, second, third]],
    );
    const sameAs = async () =>
      (await Promise.all(sources.map(({ id }) => readSource(company, id)))).map((source) => source.sameAs);
    assert.deepEqual(await sameAs(), [null, first, first]);
    await moved(company, first, a);
    assert.deepEqual(await sameAs(), [null, null, second]);
    assert.equal(outcome(await move(company, third, a)), '409 conflict');
    assert.equal(outcome(await move(company, first, null)), '409 conflict');
    const b = await addClient(service, company);
    await moved(company, third, b);
    assert.deepEqual(await sameAs(), [null, null, null]);
  });

  test('changes other fields in the same transaction, and is recorded with both layers', async () => {
    const { company, a } = await teamWithClients();
    const { id } = await addSource(company, { title: 'Old', tags: ['old'] });
    const { events } = await recordedBy(service, company, async () => {
      const changed = await company.api.changeSource(id, { clientId: a, title: 'New', tags: ['new'] });
      assert.deepEqual([changed.title, changed.tags, changed.clientId], ['New', ['new'], a]);
    });
    assert.deepEqual(column(events, 'kind'), ['memory.move', 'memory.update']);
    const [update] = await company.all.listTeamAudit({ kind: 'memory.update', subjectId: id });
    assert.equal(update?.clientId, a);
    const refused = await move(company, id, newId(), { title: 'Never' });
    assert.equal(outcome(refused), '403 scope_forbidden');
    assert.equal((await readSource(company, id)).title, 'New');
  });

  test('names a client in no event that a token limited to other clients can list', async () => {
    const { company, a, b } = await teamWithClients();
    const agents = {
      a: await createAgent(service, company, company, { clientIds: [a] }),
      b: await createAgent(service, company, company, { clientIds: [b] }),
      none: await createAgent(service, company, company, { clientIds: [] }),
    };
    const { id } = await addSource(company);
    for (const to of [a, b, null, b]) await moved(company, id, to);
    const listed = async (caller: Caller) =>
      (await caller.all.listTeamAudit({ kind: 'memory.move', subjectId: id })).map(({ detail }) => [
        detail['from'],
        detail['to'],
      ]);
    assert.deepEqual(await listed(company), [
      [null, b],
      [b, null],
      [a, b],
      [null, a],
    ]);
    assert.deepEqual(await listed(agents.a), [[null, a]]);
    assert.deepEqual(await listed(agents.b), [[null, b]]);
    assert.deepEqual(await listed(agents.none), []);
    // The clients of a token limit both ends.
    assert.equal(outcome(await move(agents.a, id, a)), '404 not_found');
    assert.equal(outcome(await move(agents.b, id, a)), '403 scope_forbidden');
    await moved(agents.b, id, null);
  });
});

describe('a move of a source that is refused', () => {
  test('returns 409 for memories, files, archived and due sources', async () => {
    const { company, a } = await teamWithClients();
    const memory = await addMemory(company, 'published');
    const answer = await move(company, memory.sourceId!, a);
    assert.match(answer.json<{ detail: string }>().detail, /move the memory instead/);
    const planted = await addSource(company);
    await database.query(`update memory.source set kind = 'file' where id = $1`, [planted.id]);
    assert.match((await move(company, planted.id, a)).json<{ detail: string }>().detail, /another path/);
    const old = await addSource(company);
    await archived(company, old.id);
    const due = await addSource(company);
    await database.query(`update memory.source set expires_at = now() where id = $1`, [due.id]);
    for (const id of [memory.sourceId!, planted.id, old.id, due.id]) {
      assert.equal(outcome(await move(company, id, a)), '409 conflict');
    }
  });

  test('returns 409 if the target has an active source with the same text or externalId', async () => {
    const { company, a } = await teamWithClients();
    const scope = { clientId: a };
    const text = 'the same text';
    const pairs = [
      [{ text }, { text, scope }],
      [
        { text, externalId: 'one' },
        { text, externalId: 'two', scope },
      ],
      [
        { text: 'another', externalId: 'three' },
        { text: 'a third', externalId: 'three', scope },
      ],
    ];
    for (const [given, there] of pairs) {
      const source = await addSource(company, given);
      const other = await addSource(company, there);
      assert.equal(outcome(await move(company, source.id, a)), '409 conflict');
      assert.equal((await readSource(company, source.id)).clientId, null);
      // One that has expired counts as archived.
      await database.query(`update memory.source set expires_at = now() where id = $1`, [other.id]);
      await moved(company, source.id, a);
      assert.equal((await readSource(company, other.id)).state, 'archived');
      await archived(company, source.id);
    }
    // The text of a memory is no conflict.
    const title = 'A title';
    await addMemory(company, 'published', { title, content: text }, a);
    await moved(company, (await addSource(company, { title, text })).id, a);
  });
});
