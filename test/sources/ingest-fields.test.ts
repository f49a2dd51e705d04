import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { searchRows } from '../support/memories.ts';
import { readSource } from '../support/source-library.ts';
import { along, CLAIM } from '../support/team.ts';

const service = await openTestApp();

/** Ingests a document under one external id and asserts the status. */
async function ingest(caller: SignedIn, status: 200 | 201, body: object): Promise<IngestResponse> {
  const answer = await caller.ask.ingestSource({ title: 'Old', externalId: 'doc', ...body });
  assert.equal(answer.statusCode, status, answer.body);
  return answer.json<IngestResponse>();
}

describe('an ingest of the same text with the same externalId', () => {
  test('updates title, uri and metadata, and returns which of them changed', async () => {
    const company = await service.company();
    const chunks = [{ text: 'a quokka', embedding: along(1) }];
    const fields = { title: 'Old', uri: 'x:old', metadata: { author: 'ann', n: [1] } };
    const { source } = await ingest(company, 201, { chunks, ...CLAIM, ...fields });
    const changes: [body: object, updated: string[], now: object][] = [
      [{ title: 'New' }, ['title'], { ...fields, title: 'New' }],
      [{ title: 'New', uri: 'x:new' }, ['uri'], { ...fields, title: 'New', uri: 'x:new' }],
      [
        { title: 'Newer', metadata: { author: 'zoe' } },
        ['title', 'metadata'],
        { title: 'Newer', uri: 'x:new', metadata: { author: 'zoe' } },
      ],
      [{ title: 'Newer', metadata: {} }, ['metadata'], { title: 'Newer', uri: 'x:new', metadata: {} }],
    ];
    for (const [body, updated, now] of changes) {
      const { events } = await recordedBy(service, company, async () => {
        const { source: told, ...rest } = await ingest(company, 200, { chunks, ...CLAIM, ...body });
        assert.deepEqual(rest, {
          chunks: 1,
          embedded: 1,
          duplicate: false,
          updated,
          similarSources: [],
          redactions: [],
        });
        const { chunks: _, metadata: __, nextCursor: ___, ...read } = await readSource(company, source.id);
        assert.deepEqual(told, { ...read, chunks: 1 });
        assert.ok(told.updatedAt > source.updatedAt);
      });
      const { title, uri, metadata, createdAt } = await readSource(company, source.id);
      assert.deepEqual([{ title, uri, metadata }, createdAt], [now, source.createdAt]);
      assert.deepEqual(
        events.map(({ kind, subjectId, detail }) => ({ kind, subjectId, detail })),
        [{ kind: 'memory.update', subjectId: source.id, detail: { updated } }],
      );
    }
  });

  test('the same text with the same fields is a duplicate and writes no audit event', async () => {
    const company = await service.company();
    const fields = { text: 'a quokka', uri: 'x:y', metadata: { b: 1, a: [null] } };
    const { source } = await ingest(company, 201, fields);
    await recordsNothing(service, company, async () => {
      for (const body of [fields, { text: fields.text }, { ...fields, metadata: { a: [null], b: 1 } }]) {
        const again = await ingest(company, 200, body);
        assert.deepEqual(again, {
          source,
          chunks: 1,
          embedded: 0,
          duplicate: true,
          similarSources: [],
          redactions: [],
        });
      }
    });
  });

  test('changes the title in search results and keeps chunks and vectors', async () => {
    const company = await service.company();
    const document = { chunks: [{ text: 'a bilby', embedding: along(1) }], ...CLAIM };
    const { source } = await ingest(company, 201, document);
    const before = await readSource(company, source.id);
    await ingest(company, 200, { ...document, title: 'New' });
    const hits = await search(company, 'bilby', along(1));
    assert.deepEqual(columns(hits, 'title', 'chunk_id', 'semantic_rank'), [
      ['New', before.chunks[0]?.chunk_id, 1],
    ]);
  });

  test('updates a source of many chunks without adding chunks', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 120 }, (_, n) => ({ text: `potoroo ${n}` }));
    await ingest(company, 201, { chunks });
    assert.deepEqual((await ingest(company, 200, { chunks, title: 'New' })).updated, ['title']);
    assert.deepEqual(await searchRows(service, company), {
      chunks: 120,
      terms: 120,
      vectors: 0,
      pending: 120,
    });
  });

  test('applies concurrent changes of the title one after the other, each with an audit event', async () => {
    const company = await service.company();
    const text = 'a race of titles';
    await ingest(company, 201, { text });
    const { events } = await recordedBy(service, company, () =>
      Promise.all(['One', 'Two', 'Three'].map((title) => ingest(company, 200, { text, title }))),
    );
    assert.deepEqual(column(events, 'kind'), ['memory.update', 'memory.update', 'memory.update']);
  });
});

test('a new text with the same externalId keeps the uri and metadata if they are absent', async () => {
  const company = await service.company();
  const fields = { uri: 'x:kept', metadata: { author: 'ann' } };
  const { source } = await ingest(company, 201, { text: 'first', ...fields });
  await ingest(company, 200, { text: 'second', title: 'New' });
  const { title, uri, metadata, chunks } = await readSource(company, source.id);
  assert.deepEqual([title, { uri, metadata }, chunks.map(({ text }) => text)], ['New', fields, ['second']]);
});

test('the same text without an externalId is a duplicate and changes nothing', async () => {
  const company = await service.company();
  const first = await ingest(company, 201, { text: 'plain', externalId: undefined });
  const again = await ingest(company, 200, { text: 'plain', externalId: undefined, title: 'New' });
  assert.deepEqual(again, { ...first, duplicate: true });
});
