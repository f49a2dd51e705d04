import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { foundByWords } from '../support/consolidation.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, along, type Caller, CLAIM, faultyFields } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** Ingests and asserts the status, which tells a new source from one that was there. */
async function ingest(caller: Caller, status: 200 | 201, body: object): Promise<IngestResponse> {
  const answer = await caller.ask.ingestSource({ title: 'A title', ...body });
  assert.equal(answer.statusCode, status, answer.body);
  return answer.json<IngestResponse>();
}

async function texts(sourceId: string): Promise<string[]> {
  const rows = await database.query<{ text: string }>(
    'select text from memory.chunk where source_id = $1 order by ordinal',
    [sourceId],
  );
  return rows.map((row) => row.text);
}

describe('POST /v1/memory/ingest of a new source', () => {
  test('returns 201 with all fields of the source, which a search finds at once', async () => {
    const company = await service.company();
    const { source, ...counts } = await ingest(company, 201, {
      text: 'The ocelot sleeps.',
      uri: 'https://example.com/x',
      externalId: 'doc-1',
      metadata: { author: 'x', tags: ['a'] },
    });
    assert.deepEqual(counts, {
      chunks: 1,
      embedded: 0,
      duplicate: false,
      similarSources: [],
      redactions: [],
    });
    const { id, createdAt, updatedAt, ...rest } = source;
    assert.deepEqual(rest, {
      kind: 'ingest',
      title: 'A title',
      uri: 'https://example.com/x',
      externalId: 'doc-1',
      layer: 'team',
      clientId: null,
      state: 'active',
      tags: [],
      chunks: 1,
      sameAs: null,
      occurredAt: null,
      expiresAt: null,
      original: null,
      unread: [],
      encoding: null,
      found: 0,
      opened: 0,
      lastFoundAt: null,
      createdBy: company.ownerId,
      createdWith: null,
    });
    for (const time of [createdAt, updatedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(await foundByWords(company, 'ocelot'), ['The ocelot sleeps.']);
    assert.deepEqual((await company.api.getSource(id)).metadata, { author: 'x', tags: ['a'] });
  });
});

describe('chunks of an ingest', () => {
  test('given chunks are stored unchanged', async () => {
    const company = await service.company();
    const given = ['  indented\n', 'twice', 'twice', '# a heading', 'x'.repeat(8000), '\u00e9 e\u0301 \r\n'];
    const { source, chunks } = await ingest(company, 201, { chunks: given.map((text) => ({ text })) });
    assert.equal(chunks, given.length);
    assert.deepEqual(await texts(source.id), given);
  });

  test('some or all chunks can have an embedding, and the answer counts them', async () => {
    const company = await service.company();
    const { chunks, embedded } = await ingest(company, 201, {
      chunks: [{ text: 'a', embedding: along(1) }, { text: 'b' }, { text: 'c', embedding: along(3, 9) }],
      ...CLAIM,
    });
    assert.deepEqual([chunks, embedded], [3, 2]);
    const [pending] = await database.query<{ n: number }>(
      'select count(*) as n from memory.embedding_pending where team_id = $1',
      [company.teamId],
    );
    assert.equal(pending?.n, 1);
  });

  test('an invalid embedding returns the same 400 codes as in a query', async () => {
    const company = await service.company();
    for (const [embedding, claim, code] of [
      [along(0), {}, 'invalid_request'],
      [along(0), { embeddingModel: CLAIM.embeddingModel }, 'invalid_request'],
      [along(0), { ...CLAIM, embeddingModel: 'another' }, 'embedding_model_mismatch'],
      [along(0), { ...CLAIM, embeddingDim: 3 }, 'embedding_dimension_mismatch'],
      [[1, 2, 3], CLAIM, 'embedding_dimension_mismatch'],
      [[], CLAIM, 'embedding_dimension_mismatch'],
      [along(0, 0), CLAIM, 'invalid_request'],
    ] as const) {
      const body = { title: 'x', chunks: [{ text: 'a' }, { text: 'b', embedding }], ...claim };
      const answer = await company.ask.ingestSource(body);
      assert.equal(outcome(answer), `400 ${code}`);
    }
    await ingest(company, 201, {
      chunks: [{ text: 'as large as it likes', embedding: along(0, 1e39) }],
      ...CLAIM,
    });
  });

  test('the body must have exactly one of text and chunks', async () => {
    const company = await service.company();
    for (const body of [{}, { text: 'x', chunks: [{ text: 'x' }] }, { chunks: [] }]) {
      const answer = await company.ask.ingestSource({ title: 'x', ...body });
      assert.equal(outcome(answer), '400 invalid_request');
      assert.equal(faultyFields(answer).length, 1);
    }
  });
});

describe('an ingest of an existing text', () => {
  test('returns the existing source of the scope, even if other fields differ', async () => {
    const company = await service.company();
    const first = await ingest(company, 201, { text: 'said once', chunks: undefined });
    const again = await ingest(company, 200, { title: 'Another', uri: 'x:y', text: 'said once' });
    assert.deepEqual(again, { ...first, duplicate: true });
    const byChunks = await ingest(company, 200, { chunks: [{ text: 'said once' }] });
    assert.equal(byChunks.source.id, first.source.id);
    assert.deepEqual(await foundByWords(company, 'said'), ['said once']);
  });

  test('makes a new source in another scope or after the first source was archived', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const first = await ingest(company, 201, { text: 'said twice' });
    await ingest(company, 201, { text: 'said twice', scope: { clientId } });
    await ingest(company, 200, { text: 'said twice', scope: { clientId } });
    await database.query(`update memory.source set state = 'archived' where id = $1`, [first.source.id]);
    const second = await ingest(company, 201, { text: 'said twice' });
    assert.notEqual(second.source.id, first.source.id);
  });

  test('makes a new source of the same characters in other chunks', async () => {
    const company = await service.company();
    for (const cut of [['ab', 'c'], ['a', 'bc'], ['abc']]) {
      const { source } = await ingest(company, 201, { chunks: cut.map((text) => ({ text })) });
      assert.deepEqual(await texts(source.id), cut);
    }
  });

  test('concurrent ingests of the same text make one source, for short and long texts', async () => {
    const company = await service.company();
    const long = Array.from({ length: 150 }, (_, n) => ({ text: `part ${n}` }));
    for (const body of [{ text: 'a race' }, { chunks: long }, { text: 'named', externalId: 'race' }]) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => company.ask.ingestSource({ title: 'x', ...body })),
      );
      const statuses = answers.map((answer) => String(answer.statusCode)).sort();
      assert.deepEqual(statuses, ['200', '200', '200', '200', '200', '201']);
      assert.equal(new Set(answers.map((answer) => answer.json<IngestResponse>().source.id)).size, 1);
    }
    const [rows] = await database.query<{ sources: number; chunks: number }>(
      `select (select count(*) from memory.source where team_id = $1) as sources,
              (select count(*) from memory.chunk where team_id = $1) as chunks`,
      [company.teamId],
    );
    assert.deepEqual(rows, { sources: 3, chunks: 152 });
  });
});

describe('an externalId', () => {
  test('an externalId identifies one source of the scope, whose text a new ingest replaces', async () => {
    const company = await service.company();
    const many = Array.from({ length: 250 }, (_, n) => ({ text: `the old wombat ${n}` }));
    const first = await ingest(company, 201, { externalId: 'doc', chunks: many });
    const edition = {
      title: 'Second edition',
      externalId: 'doc',
      chunks: [{ text: 'the new', embedding: along(1) }, { text: 'numbat' }],
      ...CLAIM,
    };
    const replaced = await ingest(company, 200, edition);
    const { source, ...counts } = replaced;
    assert.deepEqual(counts, {
      chunks: 2,
      embedded: 1,
      duplicate: false,
      similarSources: [],
      redactions: [],
    });
    assert.equal(source.id, first.source.id);
    assert.deepEqual(
      [source.title, source.chunks, source.createdAt],
      ['Second edition', 2, first.source.createdAt],
    );
    assert.deepEqual(await foundByWords(company, 'wombat'), []);
    assert.deepEqual(await foundByWords(company, 'numbat'), ['numbat']);
    assert.deepEqual(await ingest(company, 200, edition), { ...replaced, duplicate: true });
  });

  test('the same text under two external ids makes two sources', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await ingest(company, 201, { externalId: 'one', text: 'same words' });
    await ingest(company, 201, { externalId: 'two', text: 'same words' });
    await ingest(company, 201, { externalId: 'one', text: 'same words', scope: { clientId } });
    // Without one, any active source of the scope with that text will do.
    await ingest(company, 200, { text: 'same words' });
  });
});
