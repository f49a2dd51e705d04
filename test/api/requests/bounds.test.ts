import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { lend } from '../../support/consolidation.ts';
import { addMemory } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { faultyFields, get, post } from '../../support/team.ts';

const service = await openTestApp();
const company = await service.company();

const SEARCH = { query: 'x', scope: {}, embeddingMode: undefined };
const INGEST = { title: 'x', text: 'x' };
const IMPORT = { filename: 'a.txt', text: 'x' };
const CAPTURE = { sessionId: 'x', summary: 'x' };
const importOf = (fields: object) => ({ items: [{ ...IMPORT, ...fields }] });

const ITEM = { captureIds: ['x'], action: 'review', title: 'x', content: 'x' };
const completeOf = (fields: object) => ({ batchId: 'x', items: [{ ...ITEM, ...fields }] });
/** The same for an existing batch; an item names its only capture. */
const lentOf = (items: readonly object[]) => async () => {
  const { batchId, captureIds } = await lend(service, company);
  return { batchId, items: items.map((fields) => ({ ...ITEM, captureIds, ...fields })) };
};
const updateOf = (fields: object) => ({ action: 'update', memoryId: 'x', ...fields });
const publishedOf = (fields: object) => async () => ({
  ...updateOf(fields),
  memoryId: (await addMemory(service, company, 'published')).id,
});
const DECISION = { action: 'delete', memoryId: 'x' };

type Body = object | (() => Promise<object>);
/** Each limit: a body at the limit, a body beyond it, and the field that the refusal names. */
const BOUNDS: [name: string, route: string, within: Body, beyond: object, path: string][] = [
  ...(['title', 'externalId'] as const).map((field): (typeof BOUNDS)[number] => [
    `${field} of 300 characters`,
    'ingest',
    { ...INGEST, [field]: 'é'.repeat(300) },
    { ...INGEST, [field]: 'é'.repeat(301) },
    `/${field}`,
  ]),
  [
    'a title of 300 characters beyond the basic plane',
    'ingest',
    { ...INGEST, title: '😀'.repeat(300) },
    { ...INGEST, title: '😀'.repeat(301) },
    '/title',
  ],
  [
    'a uri of 2,048 characters',
    'ingest',
    { ...INGEST, uri: 'x'.repeat(2048) },
    { ...INGEST, uri: 'x'.repeat(2049) },
    '/uri',
  ],
  [
    'a chunk of 8,000 characters',
    'ingest',
    { title: 'x', chunks: [{ text: 'x'.repeat(8000) }] },
    { title: 'x', chunks: [{ text: 'x'.repeat(8001) }] },
    '/chunks/0/text',
  ],
  [
    '2,000 chunks',
    'ingest',
    { title: 'x', chunks: Array.from({ length: 2000 }, (_, n) => ({ text: `n${n}` })) },
    { title: 'x', chunks: Array.from({ length: 2001 }, (_, n) => ({ text: `n${n}` })) },
    '/chunks',
  ],
  [
    'metadata of 16 KiB as JSON',
    'ingest',
    { ...INGEST, metadata: { a: 'x'.repeat(16 * 1024 - '{"a":""}'.length) } },
    { ...INGEST, metadata: { a: 'x'.repeat(16 * 1024 - '{"a":""}'.length + 1) } },
    '/metadata',
  ],
  [
    'metadata of 16 KiB in characters of several bytes',
    'ingest',
    { ...INGEST, metadata: { a: 'é'.repeat(8188) } },
    { ...INGEST, metadata: { a: 'é'.repeat(8189) } },
    '/metadata',
  ],
  [
    'a filename of 300 characters',
    'imports',
    importOf({ filename: `${'x'.repeat(296)}.txt` }),
    importOf({ filename: `${'x'.repeat(297)}.txt` }),
    '/items/0/filename',
  ],
  [
    'an import title of 300 characters',
    'imports',
    importOf({ title: 'x'.repeat(300) }),
    importOf({ title: 'x'.repeat(301) }),
    '/items/0/title',
  ],
  ['50 imports', 'imports', { items: Array(50).fill(IMPORT) }, { items: Array(51).fill(IMPORT) }, '/items'],
  [
    'an expand by 10 chunks before',
    'expand',
    { chunkId: 'x', before: 10, after: 0 },
    { chunkId: 'x', before: 11 },
    '/before',
  ],
  [
    'an expand by 10 chunks after',
    'expand',
    { chunkId: 'x', before: 0, after: 10 },
    { chunkId: 'x', after: 11 },
    '/after',
  ],
  [
    'an expand by 0 chunks after',
    'expand',
    { chunkId: 'x', after: 0 },
    { chunkId: 'x', after: -1 },
    '/after',
  ],
  ['a claim of 256 chunks', 'embeddings/claim', { limit: 256 }, { limit: 257 }, '/limit'],
  ['a claim of one chunk', 'embeddings/claim', { limit: 1 }, { limit: 0 }, '/limit'],
  [
    'a sessionId of 300 characters',
    'captures',
    { ...CAPTURE, sessionId: 'é'.repeat(300) },
    { ...CAPTURE, sessionId: 'é'.repeat(301) },
    '/sessionId',
  ],
  [
    'a summary of 64,000 characters',
    'captures',
    { ...CAPTURE, summary: 'é'.repeat(64_000) },
    { ...CAPTURE, summary: 'é'.repeat(64_001) },
    '/summary',
  ],
  [
    'capture metadata of 16 KiB',
    'captures',
    { ...CAPTURE, metadata: { a: 'é'.repeat(8188) } },
    { ...CAPTURE, metadata: { a: 'é'.repeat(8189) } },
    '/metadata',
  ],
  ['a claim of one capture', 'consolidation/claim', { limit: 1 }, { limit: 0 }, '/limit'],
  ['a claim of 20 captures', 'consolidation/claim', { limit: 20 }, { limit: 21 }, '/limit'],
  [
    'a lease of 30 seconds',
    'consolidation/claim',
    { leaseSeconds: 30 },
    { leaseSeconds: 29 },
    '/leaseSeconds',
  ],
  [
    'a lease of one hour',
    'consolidation/claim',
    { leaseSeconds: 3600 },
    { leaseSeconds: 3601 },
    '/leaseSeconds',
  ],
  [
    'an item title of 300 characters',
    'consolidation/complete',
    lentOf([{ title: 'é'.repeat(300) }]),
    completeOf({ title: 'é'.repeat(301) }),
    '/items/0/title',
  ],
  [
    'item content of 64,000 characters',
    'consolidation/complete',
    lentOf([{ content: 'é '.repeat(32_000) }]),
    completeOf({ content: 'é '.repeat(32_001) }),
    '/items/0/content',
  ],
  [
    'item metadata of 16 KiB',
    'consolidation/complete',
    lentOf([{ metadata: { a: 'é'.repeat(8188) } }]),
    completeOf({ metadata: { a: 'é'.repeat(8189) } }),
    '/items/0/metadata',
  ],
  [
    'an item with one capture',
    'consolidation/complete',
    lentOf([{ action: 'discard' }]),
    completeOf({ captureIds: [] }),
    '/items/0/captureIds',
  ],
  [
    'a memory title of 300 characters',
    'memories',
    publishedOf({ title: 'é'.repeat(300) }),
    updateOf({ title: 'é'.repeat(301) }),
    '/title',
  ],
  [
    'memory content of 64,000 characters',
    'memories',
    publishedOf({ content: 'é '.repeat(32_000) }),
    updateOf({ content: 'é '.repeat(32_001) }),
    '/content',
  ],
  [
    '100 decisions',
    'memories',
    { decisions: Array(100).fill(DECISION) },
    { decisions: Array(101).fill(DECISION) },
    '/decisions',
  ],
  ['one decision', 'memories', { decisions: [DECISION] }, { decisions: [] }, '/decisions'],
];

describe('the limits of request fields', () => {
  for (const [name, route, within, beyond, path] of BOUNDS) {
    test(`accepts ${name} and returns 400 beyond that limit`, async () => {
      const body = typeof within === 'function' ? await within() : within;
      const taken = await post(service, company, `/v1/memory/${route}`, body);
      assert.ok(taken.statusCode < 300, taken.body);
      assertInvalid(await post(service, company, `/v1/memory/${route}`, beyond), path);
    });
  }

  test('accepts a query of 1 to 4,000 characters and a topK of 1 to 50, and returns 400 beyond', async () => {
    // The embedding is checked after the fields, and these bodies have none.
    for (const fields of [{ query: 'x'.repeat(4000) }, { topK: 1 }, { topK: 50 }]) {
      const answer = await post(service, company, '/v1/memory/search', { ...SEARCH, ...fields });
      assert.equal(outcome(answer), '400 query_embedding_required');
    }
    for (const [fields, path] of [
      [{ query: 'x'.repeat(4001) }, '/query'],
      [{ query: '' }, '/query'],
      [{ topK: 0 }, '/topK'],
      [{ topK: 51 }, '/topK'],
      [{ topK: 1.5 }, '/topK'],
      [{ scope: undefined }, '/scope'],
      [{ scope: { include: [] } }, '/scope/include'],
      [{ scope: { include: ['team', 'client', 'team'] } }, '/scope/include'],
      [{ scope: { include: ['company'] } }, '/scope/include/0'],
      [{ embeddingMode: 'client' }, '/embeddingMode'],
    ] as const) {
      assertInvalid(await post(service, company, '/v1/memory/search', { ...SEARCH, ...fields }), path);
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
      assertInvalid(await post(service, company, `/v1/memory/${route}`, body), path);
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
      for (const blank of ['', ' ', '\t\n\u00a0\u3000']) {
        assertInvalid(await post(service, company, `/v1/memory/${route}`, body(blank)), path);
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
        const answer = await post(service, company, `/v1/memory/${route}`, body(bad));
        assert.equal(outcome(answer), '400 invalid_request', path);
        assert.deepEqual(faultyFields(answer), [path.replace('*', bad)]);
      }
      // A surrogate pair is a valid character.
      if (route === 'ingest' && path === '/title')
        assert.ok((await post(service, company, '/v1/memory/ingest', body('\ud83d\ude00'))).statusCode < 300);
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
        const answer = await get(service, company, `/v1/memory/${list}?${query}`);
        assert.equal(outcome(answer), '400 invalid_request', `${list}?${query}`);
      }
    }
  });

  test('returns text of any script and other control characters unchanged', async () => {
    const title = 'Zażółć 日本語 ไทย 👩‍👩‍👧 \u0001\u001f\u200b\ufffd';
    const answer = await post(service, company, '/v1/memory/ingest', { title, text: title });
    assert.equal(answer.json<{ source: { title: string } }>().source.title, title);
  });
});
