import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { faultyFields, get, post } from '../support/team.ts';

const service = await openTestApp();
const company = await service.company();

const SEARCH = { query: 'x', scope: {}, embeddingMode: undefined };
const INGEST = { title: 'x', text: 'x' };
const IMPORT = { filename: 'a.txt', text: 'x' };
const importOf = (fields: object) => ({ items: [{ ...IMPORT, ...fields }] });

/** Each bound: a body at it, a body beyond it, and the field that the refusal names. */
const BOUNDS: [name: string, route: string, within: object, beyond: object, path: string][] = [
  ...(['title', 'externalId'] as const).map((field): (typeof BOUNDS)[number] => [
    `${field} of 300`,
    'ingest',
    { ...INGEST, [field]: 'é'.repeat(300) },
    { ...INGEST, [field]: 'é'.repeat(301) },
    `/${field}`,
  ]),
  [
    'characters beyond the basic plane count once',
    'ingest',
    { ...INGEST, title: '😀'.repeat(300) },
    { ...INGEST, title: '😀'.repeat(301) },
    '/title',
  ],
  [
    'uri of 2,048',
    'ingest',
    { ...INGEST, uri: 'x'.repeat(2048) },
    { ...INGEST, uri: 'x'.repeat(2049) },
    '/uri',
  ],
  [
    'a given chunk of 8,000',
    'ingest',
    { title: 'x', chunks: [{ text: 'x'.repeat(8000) }] },
    { title: 'x', chunks: [{ text: 'x'.repeat(8001) }] },
    '/chunks/0/text',
  ],
  [
    '2,000 given chunks',
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
    'metadata is measured in bytes',
    'ingest',
    { ...INGEST, metadata: { a: 'é'.repeat(8188) } },
    { ...INGEST, metadata: { a: 'é'.repeat(8189) } },
    '/metadata',
  ],
  [
    'filename of 300',
    'imports',
    importOf({ filename: `${'x'.repeat(296)}.txt` }),
    importOf({ filename: `${'x'.repeat(297)}.txt` }),
    '/items/0/filename',
  ],
  [
    'title of an import of 300',
    'imports',
    importOf({ title: 'x'.repeat(300) }),
    importOf({ title: 'x'.repeat(301) }),
    '/items/0/title',
  ],
  ['50 imports', 'imports', { items: Array(50).fill(IMPORT) }, { items: Array(51).fill(IMPORT) }, '/items'],
  ['expand by 10', 'expand', { chunkId: 'x', before: 10, after: 0 }, { chunkId: 'x', before: 11 }, '/before'],
  [
    'expand by 10 after',
    'expand',
    { chunkId: 'x', before: 0, after: 10 },
    { chunkId: 'x', after: 11 },
    '/after',
  ],
  ['expand by less than none', 'expand', { chunkId: 'x', after: 0 }, { chunkId: 'x', after: -1 }, '/after'],
  ['256 chunks claimed', 'embeddings/claim', { limit: 256 }, { limit: 257 }, '/limit'],
  ['one chunk claimed', 'embeddings/claim', { limit: 1 }, { limit: 0 }, '/limit'],
];

describe('bounds', () => {
  for (const [name, route, within, beyond, path] of BOUNDS) {
    test(`${name}: taken at the bound, 400 beyond it`, async () => {
      const taken = await post(service, company, `/v1/memory/${route}`, within);
      assert.ok(taken.statusCode < 300, taken.body);
      const refused = await post(service, company, `/v1/memory/${route}`, beyond);
      assert.equal(outcome(refused), '400 invalid_request');
      assert.deepEqual(faultyFields(refused), [path]);
    });
  }

  test('a query has 1 to 4,000 characters, topK is 1 to 50', async () => {
    // Beyond the form of the body comes the embedding, which these lack.
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
      const answer = await post(service, company, '/v1/memory/search', { ...SEARCH, ...fields });
      assert.equal(outcome(answer), '400 invalid_request');
      assert.deepEqual(faultyFields(answer), [path]);
    }
  });
});

describe('text', () => {
  const fields: [string, (text: string) => object, string][] = [
    ['search', (text) => ({ query: text, scope: {} }), '/query'],
    ['ingest', (text) => ({ ...INGEST, title: text }), '/title'],
    ['ingest', (text) => ({ ...INGEST, text }), '/text'],
    ['ingest', (text) => ({ ...INGEST, uri: text }), '/uri'],
    ['ingest', (text) => ({ ...INGEST, externalId: text }), '/externalId'],
    ['ingest', (text) => ({ title: 'x', chunks: [{ text: 'x' }, { text }] }), '/chunks/1/text'],
    ['imports', (text) => importOf({ title: text }), '/items/0/title'],
  ];

  test('that is required is not blank', async () => {
    for (const [route, body, path] of fields) {
      for (const blank of ['', ' ', '\t\n\u00a0\u3000']) {
        const answer = await post(service, company, `/v1/memory/${route}`, body(blank));
        assert.equal(outcome(answer), '400 invalid_request', path);
        assert.deepEqual(faultyFields(answer), [path]);
      }
    }
  });

  test('with NUL or a lone surrogate is 400, in values, in keys and in metadata', async () => {
    const inMetadata: (typeof fields)[number][] = [
      ['ingest', (text) => ({ ...INGEST, metadata: { deep: [{ a: text }] } }), '/metadata/deep/0/a'],
      ['ingest', (text) => ({ ...INGEST, metadata: { deep: { [text]: 1 } } }), '/metadata/deep/*'],
    ];
    for (const [route, body, path] of [...fields, ...inMetadata]) {
      for (const bad of ['a\u0000b', 'a\ud800b', '\udfff', '\udc00\ud800']) {
        const answer = await post(service, company, `/v1/memory/${route}`, body(bad));
        assert.equal(outcome(answer), '400 invalid_request', path);
        assert.deepEqual(faultyFields(answer), [path.replace('*', bad)]);
      }
      // The pair of them is a character.
      if (path === '/title')
        assert.ok((await post(service, company, '/v1/memory/ingest', body('\ud83d\ude00'))).statusCode < 300);
    }
  });

  test('with NUL or a surrogate is 400 in a query string, before its meaning is looked at', async () => {
    for (const query of [
      'clientId=a%00',
      'clientId=%ED%A0%80',
      'state=%ff',
      'cursor=%00',
      '%00=1',
      'clientId=%zz',
    ]) {
      const answer = await get(service, company, `/v1/memory/imports?${query}`);
      assert.equal(outcome(answer), '400 invalid_request', query);
    }
  });

  test('of any script, with every other control character, comes back as it was sent', async () => {
    const title = 'Zażółć 日本語 ไทย 👩‍👩‍👧 \u0001\u001f\u200b\ufffd';
    const answer = await post(service, company, '/v1/memory/ingest', { title, text: title });
    assert.equal(answer.json<{ source: { title: string } }>().source.title, title);
  });
});
