import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
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
    const { source } = await ingest(company, 201, { chunks, ...CLAIM });
    const change = { title: 'New', uri: 'x:new', metadata: { author: 'zoe' } };
    const { source: told, ...rest } = await ingest(company, 200, { chunks, ...CLAIM, ...change });
    const updated = ['title', 'uri', 'metadata'];
    const answer = { chunks: 1, embedded: 1, duplicate: false, updated, similarSources: [], redactions: [] };
    assert.deepEqual(rest, answer);
    const { chunks: _, metadata, nextCursor: __, ...read } = await readSource(company, source.id);
    assert.deepEqual([told, metadata], [{ ...read, chunks: 1 }, change.metadata]);
    assert.deepEqual([read.title, read.uri, read.createdAt], ['New', 'x:new', source.createdAt]);
    assert.ok(told.updatedAt > source.updatedAt);
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

for (const [field, first, second, none, alike] of [
  ['uri', 'x:old', 'x:new', undefined, 'x:old'],
  ['metadata', { author: 'ann', n: [1] }, { author: 'zoe' }, {}, { n: [1], author: 'ann' }],
  ['tags', ['a', 'b'], ['b', 'c'], [], ['B', 'a']],
  [
    'expiresAt',
    '2098-01-02T03:04:05.006Z',
    '2099-01-01T00:00:00.000Z',
    null,
    '2098-01-02T04:04:05.006+01:00',
  ],
  ['occurredAt', '2019-05-06', '2021-09-10T11:12:13.140Z', null, '2019-05-06'],
] as const) {
  test(`${field} of a text with an externalId stays unless another value is given, also with a new text`, async () => {
    const company = await service.company();
    const send = async (value: unknown, text = 'the first') => {
      const body = { title: 'Old', externalId: 'doc', text, [field]: value };
      const { source, updated, duplicate } = await company.api.ingestSource(body);
      return [(await company.api.getSource(source.id))[field], updated, duplicate];
    };
    assert.deepEqual(await send(first), [first, undefined, false]);
    assert.deepEqual(await send(undefined), [first, undefined, true]);
    assert.deepEqual(await send(alike), [first, undefined, true]);
    assert.deepEqual(await send(second), [second, [field], false]);
    assert.deepEqual(await send(undefined, 'the second'), [second, undefined, false]);
    if (none !== undefined) assert.deepEqual(await send(none, 'the second'), [none, [field], false]);
    assert.deepEqual(await send(first, 'the third'), [first, undefined, false]);
  });
}
