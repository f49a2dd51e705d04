import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { sendFeedback } from '../../support/feedback.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemory, decided, searchRows } from '../../support/memories.ts';
import { giveOriginal, storedOriginals } from '../../support/originals.ts';
import { ownerScope } from '../../support/scopes.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, archived, readSource } from '../../support/source-library.ts';
import { addClient, along, CLAIM, readStatus } from '../../support/team.ts';
import { archivedBefore, keptRows } from './kept.ts';

const service = await openTestApp();

const { database } = service;

/** More than ten words, so that the text has a sketch. */
const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

/** Every row of a source in the tables that searches read, with all columns. */
async function rowsOf(sourceId: string): Promise<object[]> {
  const chunks = `select id from memory.chunk where source_id = $1`;
  return database.query(
    `select 'chunk' as what, to_jsonb(c) as row from memory.chunk c where c.source_id = $1
     union all select 'terms', to_jsonb(k) from memory.chunk_keyword k where k.chunk_id in (${chunks})
     union all select 'vector', to_jsonb(e) from memory.chunk_embedding e where e.chunk_id in (${chunks})
     union all select 'pending', to_jsonb(p) from memory.embedding_pending p where p.chunk_id in (${chunks})
     union all select 'sketch', to_jsonb(k) from memory.source_sketch k where k.source_id = $1
     union all select 'source', to_jsonb(s) - 'updated_at' from memory.source s where s.id = $1
     order by 1, 2`,
    [sourceId],
  );
}

async function conflictOf(company: SignedIn, id: string): Promise<string> {
  const answer = await company.ask.restoreSource(id);
  assert.equal(outcome(answer), '409 conflict');
  return answer.json<{ detail: string }>().detail;
}

describe('a restored source', () => {
  test('has all of its chunks, however many', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 2000 }, (_, n) => ({ text: `chunk ${n}` }));
    const { id } = await addSource(company, { chunks });
    await archived(company, id);
    assert.equal((await company.api.restoreSource(id)).chunks, 2000);
    assert.equal((await rowsOf(id)).filter((row) => (row as { what: string }).what === 'terms').length, 2000);
  });

  test('has the same rows as before, with every column, and is active', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const source = await addSource(company, {
      scope: { clientId },
      externalId: 'pump-4',
      tags: ['pumps'],
      metadata: { a: 1 },
      expiresAt: '2100-01-01T00:00:00.000Z',
      chunks: [{ text: PROSE, embedding: along(1) }, { text: `${PROSE} Again.` }],
      ...CLAIM,
    });
    await database.query(`update memory.chunk set place = '{"page": 7}', repeated = 7 where source_id = $1`, [
      source.id,
    ]);
    // Its bytes are measured without what its chunks repeat.
    await database.query('update memory.source set chunk_count = chunk_count where id = $1', [source.id]);
    await database.query(
      `update memory.chunk set created_at = '2020-01-01' where source_id = $1 and ordinal = 1`,
      [source.id],
    );
    const [rows, read, status] = [
      await rowsOf(source.id),
      await readSource(company, source.id),
      await readStatus(company),
    ];
    assert.deepEqual(
      rows.map((row) => (row as { what: string }).what),
      ['chunk', 'chunk', 'pending', 'sketch', 'source', 'terms', 'terms', 'vector'],
    );

    await archived(company, source.id);
    assert.equal((await rowsOf(source.id)).length, 1);
    assert.deepEqual(await keptRows(service, company), { sources: 1, chunks: 2 });
    const result = await company.api.restoreSource(source.id);
    assert.deepEqual(await rowsOf(source.id), rows);
    const { updatedAt, chunks: _, ...again } = await readSource(company, source.id);
    const { updatedAt: before, chunks: __, ...first } = read;
    assert.deepEqual(again, first);
    assert.ok(updatedAt >= before);
    assert.deepEqual([result.state, result.chunks, result.clientId], ['active', 2, clientId]);
    const { sources, chunks } = await readStatus(company);
    assert.deepEqual({ sources, chunks }, { sources: status.sources, chunks: status.chunks });
    assert.deepEqual(await keptRows(service, company), { sources: 0, chunks: 0 });
  });

  test('is kept with every column of a chunk', async () => {
    const columns = (table: string) =>
      database.query<{ name: string; type: string }>(
        `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'layer_id' order by 1`,
        [table],
      );
    const kept = await columns('memory.kept_chunk');
    for (const column of await columns('memory.chunk')) {
      assert.ok(
        kept.some(({ name, type }) => name === column.name && type === column.type),
        `memory.kept_chunk lacks ${column.name}`,
      );
    }
  });

  test('has its vectors of the model of the service, and its other chunks become pending', async () => {
    const company = await service.company();
    const chunks = [
      { text: 'one', embedding: along(1) },
      { text: 'two', embedding: along(2) },
    ];
    const { id } = await addSource(company, { chunks, ...CLAIM });
    await database.query(
      `update memory.chunk_embedding e set model = 'old/model' from memory.chunk c
        where c.source_id = $1 and c.ordinal = 1 and e.chunk_id = c.id`,
      [id],
    );
    await archived(company, id);
    await company.api.restoreSource(id);
    assert.deepEqual(await searchRows(service, company), { chunks: 2, terms: 2, vectors: 1, pending: 1 });
  });

  test('has terms of this version, and lets the words be counted again, as archiving it did', async () => {
    const company = await service.company();
    const ofTeam = `pgboss.job where data ->> 'teamId' = $1::text`;
    const { id } = await addSource(company);
    for (const change of [() => archived(company, id), () => company.api.restoreSource(id)]) {
      await database.query(`delete from ${ofTeam}`, [company.teamId]);
      await database.query('update memory.source set terms_version = 0 where id = $1', [id]);
      await change();
      assert.deepEqual(await database.query(`select name from ${ofTeam}`, [company.teamId]), [
        { name: 'keywords.count' },
      ]);
    }
    assert.equal((await readStatus(company)).terms.outdated, 0);
  });

  test('takes the place of a source with its text that has expired, which is archived first', async () => {
    const company = await service.company();
    const text = `The ocelot ${crypto.randomUUID()}`;
    const source = await addSource(company, { text });
    await archived(company, source.id);
    const due = await addSource(company, { text });
    await database.query(`update memory.source set expires_at = now() where id = $1`, [due.id]);
    const { events } = await recordedBy(service, company, () => company.api.restoreSource(source.id));
    assert.deepEqual(events.map(({ kind, subjectId }) => [kind, subjectId]).sort(), [
      ['memory.expire', due.id],
      ['memory.restore', source.id],
    ]);
    assert.deepEqual(await keptRows(service, company), { sources: 0, chunks: 0 });
  });
});

describe('a source that cannot be restored', () => {
  test('returns 409 if it is active, belongs to a memory or a file, or has expired', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    const memory = await addMemory(company, 'published');
    const ofFile = await addSource(company);
    await database.query(`update memory.source set kind = 'file' where id = $1`, [ofFile.id]);
    const [byHand, due] = [await addSource(company), await addSource(company)];
    await archived(company, byHand.id);
    for (const expired of [byHand, due]) {
      await database.query(`update memory.source set expires_at = now() where id = $1`, [expired.id]);
    }
    await recordsNothing(service, company, async () => {
      assert.match(await conflictOf(company, id), /is active/);
      assert.match(await conflictOf(company, memory.sourceId ?? ''), /restore a version of the memory/);
      assert.match(await conflictOf(company, ofFile.id), /push the file again/);
      assert.match(await conflictOf(company, byHand.id), /has expired/);
      assert.match(await conflictOf(company, due.id), /has expired/);
    });
  });

  test('returns 409 after the days that it is kept, also before a job has deleted it', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await archived(company, id);
    await archivedBefore(service, id, '30 days 1 second');
    assert.match(await conflictOf(company, id), /no longer stored/);
    assert.deepEqual(await keptRows(service, company), { sources: 1, chunks: 1 });
    await archivedBefore(service, id, '29 days 23 hours');
    await company.api.restoreSource(id);
  });

  test('returns 409 if nothing or not all of it is kept', async () => {
    const company = await service.company();
    const chunks = [{ text: 'one' }, { text: 'two' }];
    const { id } = await addSource(company, { chunks });
    await archived(company, id);
    await database.query('delete from memory.kept_chunk where source_id = $1 and ordinal = 1', [id]);
    assert.match(await conflictOf(company, id), /no longer stored/);
    assert.deepEqual(await keptRows(service, company), { sources: 1, chunks: 1 });
    await database.query('delete from memory.kept_source where source_id = $1', [id]);
    assert.match(await conflictOf(company, id), /no longer stored/);
    assert.equal((await readSource(company, id)).state, 'archived');
  });

  test('returns 409 if the layer has an active source with its text or its external id, and names it', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = `The ocelot ${crypto.randomUUID()}`;
    const source = await addSource(company, { text, externalId: 'a' });
    await archived(company, source.id);
    // The same names in another layer are no conflict.
    await addSource(company, { text, externalId: 'a', scope: { clientId } });
    const sameId = await addSource(company, { externalId: 'a' });
    assert.match(
      await conflictOf(company, source.id),
      new RegExp(`source ${sameId.id} has the same externalId`),
    );
    await archived(company, sameId.id);
    const sameText = await addSource(company, { text });
    await database.query(
      `update memory.source set kind = 'import', metadata = '{"filename": "b.txt"}' where id = $1`,
      [sameText.id],
    );
    assert.match(await conflictOf(company, source.id), new RegExp(`source ${sameText.id} has the same text`));
    await archived(company, sameText.id);
    await company.api.restoreSource(source.id);
  });
});

describe('what is kept for restoring', () => {
  test('is nothing of memories, replaced texts and expired sources', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published');
    await decided(company, { action: 'delete', memoryId: memory.id });
    await addSource(company, { externalId: 'a' });
    await company.api.ingestSource({ title: 'x', text: 'new', externalId: 'a' });
    assert.deepEqual(await keptRows(service, company), { sources: 0, chunks: 0 });
  });

  test('is nothing if MEMORY_ARCHIVE_DAYS is 0', async () => {
    const none = await openTestApp({ MEMORY_ARCHIVE_DAYS: '0' });
    const company = await none.company();
    const source: Source = await addSource(via(none, company));
    await giveOriginal(database, ownerScope(company), source.id);
    await archived(via(none, company), source.id);
    assert.deepEqual((await storedOriginals(none, company)).originals, []);
    assert.deepEqual(await keptRows(none, company), { sources: 0, chunks: 0 });
    assert.equal(outcome(await via(none, company).ask.restoreSource(source.id)), '409 conflict');
  });
});

/** A word that only the text of the archived source has, and only there: no title, tag or id. */
const WORD = 'quokka';

const SHOWN = `The ${WORD} in hall four lost pressure again, so the crew closed valve nine and went home.`;

const TEXTS = [SHOWN, `${SHOWN} The pump and the valve are shut.`] as const;

const ALL = { include: ['team' as const, 'client' as const] };

/** A source among others, with a chunk that has a vector and one that has none. */
async function place() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const scope = { clientId };
  const others = ['One pump of the hall.', 'The valve and the pump are shut.', 'A crew went home.'];
  for (const [n, text] of others.entries()) {
    const chunks = [{ text, embedding: along(n + 1) }];
    await addSource(company, {
      title: `Other ${n}`,
      chunks,
      ...CLAIM,
      ...(n === 1 ? { scope } : {}),
    });
  }
  const source = await addSource(company, {
    title: 'A report',
    tags: ['night'],
    scope,
    chunks: [{ text: SHOWN, embedding: along(1) }, { text: TEXTS[1] }],
    ...CLAIM,
  });
  const opened = await readSource(company, source.id);
  const body = { query: WORD, scope: ALL, queryEmbedding: along(1), ...CLAIM };
  const { queryId } = await company.api.searchMemory(body);
  return { company, clientId, source, chunkIds: opened.chunks.map(({ chunk_id }) => chunk_id), queryId };
}

type Place = Awaited<ReturnType<typeof place>>;

/** What a search of all layers answers, by words and by meaning unless the body says otherwise. */
const searched = async ({ company }: Place, body: object) =>
  (await company.ask.searchMemory({ scope: ALL, queryEmbedding: along(1), ...CLAIM, ...body })).body;

const toolTold = async ({ company }: Place, tool: string, args: object) =>
  (await callTool(company, tool, args)).text;

/** Everything that a reader can ask for. Each answer has the word if it can read the text of the source. */
const READERS: Record<string, (place: Place) => Promise<string>> = {
  'a search by words': async ({ company }) =>
    (await company.ask.searchMemory({ query: `${WORD} crew`, scope: ALL, embeddingMode: 'keyword' })).body,
  'a search by meaning': (at) => searched(at, { query: 'zzyzx' }),
  'a search of one source': (at) => searched(at, { query: 'crew', sourceIds: [at.source.id] }),
  'a search with neighbours': (at) => searched(at, { query: 'crew valve', neighbours: 2 }),
  'an expand': async ({ company, chunkIds }) =>
    (await company.ask.expandChunk({ chunkId: chunkIds[0] })).body,
  'a source with its chunks': async ({ company, source }) => (await company.ask.getSource(source.id)).body,
  'a claim of chunks without vectors': async ({ company }) =>
    (await company.ask.claimEmbeddings({ limit: 256 })).body,
  'the tool search': (at) => toolTold(at, 'search', { query: `${WORD} crew`, client: 'all' }),
  'the tool fetch': (at) => toolTold(at, 'fetch', { id: at.source.id }),
  'the tool expand': (at) => toolTold(at, 'expand', { chunk: at.chunkIds[0] }),
};

describe('the text of an archived source', () => {
  test('is read by no route, and by each of them again after it is restored', async () => {
    const at = await place();
    const { company, source } = at;
    const read = async () => {
      const readers: string[] = [];
      for (const [name, ask] of Object.entries(READERS))
        if ((await ask(at)).includes(WORD)) readers.push(name);
      return readers;
    };
    const all = Object.keys(READERS);
    assert.deepEqual(await read(), all);
    await archived(company, source.id);
    assert.deepEqual(await read(), []);
    await company.api.restoreSource(source.id);
    assert.deepEqual(await read(), all);
  });

  test('leaves no tag, explanation, near duplicate or feedback of it', async () => {
    const { company, clientId, source, chunkIds, queryId } = await place();
    const scope = { clientId };
    await archived(company, source.id);
    assert.doesNotMatch((await company.ask.listTags()).body, /night/);
    const asked = { query: WORD, scope: ALL, embeddingMode: 'keyword', explainSource: source.id };
    const { explain } = await company.api.searchMemory(asked);
    assert.deepEqual([explain?.source?.reason, explain?.source?.terms], ['archived', []]);
    // The same words, so that their similarity is no estimate.
    const near = { title: 'x', chunks: TEXTS.map((text) => ({ text: text.toUpperCase() })), scope };
    const similar = async () => (await company.api.ingestSource(near)).similarSources.length;
    assert.equal(await similar(), 0);
    const given = await sendFeedback(company, { queryId, chunkId: chunkIds[0], verdict: 'wrong' });
    assert.equal(given.statusCode, 404);
    await company.api.restoreSource(source.id);
    assert.equal(await similar(), 1);
    assert.match((await company.ask.listTags()).body, /night/);
  });
});
