import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { lend } from '../support/consolidation.ts';
import { addMemory } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { faultyFields } from '../support/team.ts';

const service = await openTestApp();
const company = await service.company();

const SEARCH = { query: 'x', scope: {}, embeddingMode: undefined };
const INGEST = { title: 'x', text: 'x' };
const IMPORT = { filename: 'a.txt', text: 'x' };
const CAPTURE = { sessionId: 'x', summary: 'x' };
const importOf = (fields: object) => ({ items: [{ ...IMPORT, ...fields }] });

const ITEM = { captureIds: ['x'], action: 'review', title: 'x', content: 'x' };
const completeOf = (fields: object) => ({ batchId: 'x', items: [{ ...ITEM, ...fields }] });
/** The same for an existing batch; the item names its only capture. */
const lentOf = async (fields: object) => {
  const { batchId, captureIds } = await lend(company);
  return { batchId, items: [{ ...ITEM, captureIds, ...fields }] };
};
const updateOf = (fields: object) => ({ action: 'update', memoryId: 'x', ...fields });
const publishedOf = async (fields: object) => {
  const { id } = await addMemory(company, 'published');
  return { ...updateOf(fields), memoryId: id };
};
const DECISION = { action: 'delete', memoryId: 'x' };

/** A value at a limit, and one beyond it. */
type Pair = [within: unknown, beyond: unknown];
const x = (most: number): Pair => ['x'.repeat(most), 'x'.repeat(most + 1)];
const é = (most: number): Pair => ['é'.repeat(most), 'é'.repeat(most + 1)];
const words = (most: number): Pair => ['é '.repeat(most), 'é '.repeat(most + 1)];
const emoji = (most: number): Pair => ['😀'.repeat(most), '😀'.repeat(most + 1)];
const many = (most: number, entry: unknown): Pair => [Array(most).fill(entry), Array(most + 1).fill(entry)];

const names: Pair = [`${'x'.repeat(296)}.txt`, `${'x'.repeat(297)}.txt`];
const chunked = (chunks: unknown) => ({ title: 'x', chunks });
const expand = (fields: object) => ({ chunkId: 'x', before: 0, after: 0, ...fields });

/** The limits of each route, with a body that has a value of the pair, and the field that the refusal names. */
const BOUNDS: Record<
  string,
  [name: string, pair: Pair, body: (value: unknown) => object | Promise<object>, path: string][]
> = {
  ingest: [
    ['title of 300 characters', é(300), (title) => ({ ...INGEST, title }), '/title'],
    ['externalId of 300 characters', é(300), (externalId) => ({ ...INGEST, externalId }), '/externalId'],
    [
      'a title of 300 characters beyond the basic plane',
      emoji(300),
      (title) => ({ ...INGEST, title }),
      '/title',
    ],
    ['a uri of 2,048 characters', x(2048), (uri) => ({ ...INGEST, uri }), '/uri'],
    ['a chunk of 8,000 characters', x(8000), (text) => chunked([{ text }]), '/chunks/0/text'],
    ['2,000 chunks', many(2000, { text: 'x' }), chunked, '/chunks'],
    ['metadata of 16 KiB as JSON', x(16_376), (a) => ({ ...INGEST, metadata: { a } }), '/metadata'],
    [
      'metadata of 16 KiB in characters of several bytes',
      é(8188),
      (a) => ({ ...INGEST, metadata: { a } }),
      '/metadata',
    ],
  ],
  imports: [
    ['a filename of 300 characters', names, (filename) => importOf({ filename }), '/items/0/filename'],
    ['an import title of 300 characters', x(300), (title) => importOf({ title }), '/items/0/title'],
    ['50 imports', many(50, IMPORT), (items) => ({ items }), '/items'],
  ],
  expand: [
    ['an expand by 10 chunks before', [10, 11], (before) => expand({ before }), '/before'],
    ['an expand by 10 chunks after', [10, 11], (after) => expand({ after }), '/after'],
    ['an expand by 0 chunks after', [0, -1], (after) => expand({ after }), '/after'],
  ],
  'embeddings/claim': [
    ['a claim of 256 chunks', [256, 257], (limit) => ({ limit }), '/limit'],
    ['a claim of one chunk', [1, 0], (limit) => ({ limit }), '/limit'],
  ],
  captures: [
    ['a sessionId of 300 characters', é(300), (sessionId) => ({ ...CAPTURE, sessionId }), '/sessionId'],
    ['a summary of 64,000 characters', é(64_000), (summary) => ({ ...CAPTURE, summary }), '/summary'],
    ['capture metadata of 16 KiB', é(8188), (a) => ({ ...CAPTURE, metadata: { a } }), '/metadata'],
  ],
  'consolidation/claim': [
    ['a claim of one capture', [1, 0], (limit) => ({ limit }), '/limit'],
    ['a claim of 20 captures', [20, 21], (limit) => ({ limit }), '/limit'],
    ['a lease of 30 seconds', [30, 29], (leaseSeconds) => ({ leaseSeconds }), '/leaseSeconds'],
    ['a lease of one hour', [3600, 3601], (leaseSeconds) => ({ leaseSeconds }), '/leaseSeconds'],
  ],
  'consolidation/complete': [
    ['an item title of 300 characters', é(300), (title) => lentOf({ title }), '/items/0/title'],
    [
      'item content of 64,000 characters',
      words(32_000),
      (content) => lentOf({ content }),
      '/items/0/content',
    ],
    ['item metadata of 16 KiB', é(8188), (a) => lentOf({ metadata: { a } }), '/items/0/metadata'],
    [
      'an item with one capture',
      [{ action: 'discard' }, { captureIds: [] }],
      (given) => lentOf(Object(given)),
      '/items/0/captureIds',
    ],
  ],
  memories: [
    ['a memory title of 300 characters', é(300), (title) => publishedOf({ title }), '/title'],
    ['memory content of 64,000 characters', words(32_000), (content) => publishedOf({ content }), '/content'],
    ['100 decisions', many(100, DECISION), (decisions) => ({ decisions }), '/decisions'],
    ['one decision', [[DECISION], []], (decisions) => ({ decisions }), '/decisions'],
  ],
};

describe('the limits of request fields', () => {
  for (const [route, bounds] of Object.entries(BOUNDS)) {
    for (const [name, [within, beyond], body, path] of bounds) {
      test(`accepts ${name} and returns 400 beyond that limit`, async () => {
        const taken = await company.send('POST', `/v1/memory/${route}`, await body(within));
        assert.ok(taken.statusCode < 300, taken.body);
        assertInvalid(await company.send('POST', `/v1/memory/${route}`, await body(beyond)), path);
      });
    }
  }

  test('accepts a query of 1 to 4,000 characters and a topK of 1 to 50, and returns 400 beyond', async () => {
    // The embedding is checked after the fields, and these bodies have none.
    for (const fields of [{ query: 'x'.repeat(4000) }, { topK: 1 }, { topK: 50 }]) {
      const answer = await company.ask.searchMemory({ ...SEARCH, ...fields });
      assert.equal(outcome(answer), '400 query_embedding_required');
    }
    for (const [fields, path] of [
      [{ query: 'x'.repeat(4001) }, '/query'],
      [{ query: '' }, '/query'],
      [{ topK: 0 }, '/topK'],
      [{ topK: 51 }, '/topK'],
      [{ topK: 1.5 }, '/topK'],
      [{ scope: null }, '/scope'],
      [{ scope: { include: [] } }, '/scope/include'],
      [{ scope: { include: ['team', 'client', 'team'] } }, '/scope/include'],
      [{ scope: { include: ['company'] } }, '/scope/include/0'],
      [{ embeddingMode: 'client' }, '/embeddingMode'],
    ] as const) {
      assertInvalid(await company.ask.searchMemory({ ...SEARCH, ...fields }), path);
    }
  });
});

describe('the scope of a write', () => {
  const SCOPE = { include: ['team'] };
  for (const [route, body, path] of [
    ['ingest', { ...INGEST, scope: SCOPE }, '/scope/include'],
    ['imports', { items: [{ filename: 'a.txt', text: 'a' }], scope: SCOPE }, '/scope/include'],
    ['captures', { ...CAPTURE, scope: SCOPE }, '/scope/include'],
    [
      'consolidation/complete',
      { batchId: 'x', items: [{ captureIds: ['x'], action: 'discard', scope: SCOPE }] },
      '/items/0/scope/include',
    ],
  ] as const) {
    it(`returns 400 for an include in the scope of ${route}`, async () => {
      assertInvalid(await company.send('POST', `/v1/memory/${route}`, body), path);
    });
  }
});

describe('text fields', () => {
  const fields: [string, (text: string) => object, string][] = [
    ['search', (text) => ({ query: text, scope: {} }), '/query'],
    ['ingest', (text) => ({ ...INGEST, title: text }), '/title'],
    ['ingest', (text) => ({ ...INGEST, text }), '/text'],
    ['ingest', (text) => ({ ...INGEST, uri: text }), '/uri'],
    ['ingest', (text) => ({ ...INGEST, externalId: text }), '/externalId'],
    ['ingest', (text) => ({ title: 'x', chunks: [{ text: 'x' }, { text }] }), '/chunks/1/text'],
    ['imports', (text) => importOf({ title: text }), '/items/0/title'],
    ['captures', (text) => ({ ...CAPTURE, sessionId: text }), '/sessionId'],
    ['captures', (text) => ({ ...CAPTURE, summary: text }), '/summary'],
    ['consolidation/complete', (text) => completeOf({ title: text }), '/items/0/title'],
    ['consolidation/complete', (text) => completeOf({ content: text }), '/items/0/content'],
    ['memories', (text) => updateOf({ title: text }), '/title'],
    ['memories', (text) => updateOf({ content: text }), '/content'],
    ['memories', (text) => ({ decisions: [DECISION, updateOf({ content: text })] }), '/decisions/1/content'],
  ];

  test('returns 400 if required text is blank', async () => {
    for (const [route, body, path] of fields) {
      for (const blank of ['', ' ', '\u0085', '\t\n\u00a0\u3000']) {
        assertInvalid(await company.send('POST', `/v1/memory/${route}`, body(blank)), path);
      }
    }
  });

  test('returns 400 for NUL and lone surrogates in values, in keys and in metadata', async () => {
    const inMetadata: (typeof fields)[number][] = [
      ['ingest', (text) => ({ ...INGEST, metadata: { deep: [{ a: text }] } }), '/metadata/deep/0/a'],
      ['ingest', (text) => ({ ...INGEST, metadata: { deep: { [text]: 1 } } }), '/metadata/deep/*'],
      ['captures', (text) => ({ ...CAPTURE, metadata: { [text]: 1 } }), '/metadata/*'],
      ['consolidation/complete', (text) => completeOf({ metadata: { a: [text] } }), '/items/0/metadata/a/0'],
    ];
    for (const [route, body, path] of [...fields, ...inMetadata]) {
      for (const bad of ['a\u0000b', 'a\ud800b', '\udfff', '\udc00\ud800']) {
        const answer = await company.send('POST', `/v1/memory/${route}`, body(bad));
        assert.equal(outcome(answer), '400 invalid_request', path);
        assert.deepEqual(faultyFields(answer), [path.replace('*', bad)]);
      }
      // A surrogate pair is a valid character.
      if (route === 'ingest' && path === '/title')
        assert.ok((await company.ask.ingestSource(body('\ud83d\ude00'))).statusCode < 300);
    }
  });

  test('returns 400 for NUL and surrogates in a query string, before the parameters are validated', async () => {
    const bad = ['clientId=a%00', 'clientId=%ED%A0%80', 'state=%ff', 'cursor=%00', '%00=1', 'clientId=%zz'];
    const searched = ['q=a%00', 'q=%ED%A0%80', 'q=%ff'];
    for (const [list, queries] of [
      ['imports', bad],
      ['sources', [...bad, ...searched, 'kind=%00']],
      ['memories', [...bad, ...searched, 'sourceId=%00', 'createdAfter=%00']],
    ] as const) {
      for (const query of queries) {
        const answer = await company.send('GET', `/v1/memory/${list}?${query}`);
        assert.equal(outcome(answer), '400 invalid_request', `${list}?${query}`);
      }
    }
  });

  test('returns text of any script and other control characters unchanged', async () => {
    const title = 'Zażółć 日本語 ไทย 👩‍👩‍👧 \u0001\u001f\u200b\ufffd';
    const answer = await company.ask.ingestSource({ title, text: title });
    assert.equal(answer.json<{ source: { title: string } }>().source.title, title);
  });
});
