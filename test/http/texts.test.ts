import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { lend } from '../support/consolidation.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();
const company = await service.company();

const ingest = { title: 'x', text: 'x' };
const capture = { sessionId: 'x', summary: 'x' };
const item = { captureIds: ['x'], action: 'review', title: 'x', content: 'x' };
const completeOf = (fields: object) => ({ batchId: 'x', items: [{ ...item, ...fields }] });
const decision = { action: 'update', memoryId: 'x' };

const post = (route: string, body: object) => company.send('POST', `/v1/memory/${route}`, body);

/** Fields that are text, and parts of metadata, each with a body that has a text there, `*` where the text is a key. */
const FIELDS: readonly [route: string, path: string, body: (text: string) => object][] = [
  ['search', '/query', (text) => ({ query: text, scope: {} })],
  ['ingest', '/title', (text) => ({ ...ingest, title: text })],
  ['ingest', '/text', (text) => ({ ...ingest, text })],
  ['ingest', '/uri', (text) => ({ ...ingest, uri: text })],
  ['ingest', '/externalId', (text) => ({ ...ingest, externalId: text })],
  ['ingest', '/chunks/1/text', (text) => ({ title: 'x', chunks: [{ text: 'x' }, { text }] })],
  ['imports', '/items/0/title', (title) => ({ items: [{ filename: 'a.txt', text: 'x', title }] })],
  ['captures', '/sessionId', (text) => ({ ...capture, sessionId: text })],
  ['captures', '/summary', (text) => ({ ...capture, summary: text })],
  ['consolidation/complete', '/items/0/title', (text) => completeOf({ title: text })],
  ['consolidation/complete', '/items/0/content', (text) => completeOf({ content: text })],
  ['memories', '/title', (text) => ({ ...decision, title: text })],
  ['memories', '/decisions/1/content', (content) => ({ decisions: [decision, { ...decision, content }] })],
  ['ingest', '/metadata/deep/0/a', (text) => ({ ...ingest, metadata: { deep: [{ a: text }] } })],
  ['ingest', '/metadata/deep/*', (text) => ({ ...ingest, metadata: { deep: { [text]: 1 } } })],
  ['captures', '/metadata/*', (text) => ({ ...capture, metadata: { [text]: 1 } })],
  ['consolidation/complete', '/items/0/metadata/a/0', (text) => completeOf({ metadata: { a: [text] } })],
];

describe('the text of a request', () => {
  test('returns 400 for NUL and lone surrogates in values, in keys and in metadata', async () => {
    for (const [route, path, body] of FIELDS) {
      for (const bad of ['a\u0000b', 'a\ud800b', '\udfff', '\udc00\ud800']) {
        assertInvalid(await post(route, body(bad)), path.replace('*', bad));
      }
    }
  });

  test('returns 400 for NUL and surrogates in a query string, before the parameters are validated', async () => {
    const bad = ['clientId=a%00', 'clientId=%ED%A0%80', 'state=%ff', 'cursor=%00', '%00=1', 'clientId=%zz'];
    for (const list of ['imports', 'sources', 'memories']) {
      for (const query of [...bad, 'q=a%00', 'q=%ED%A0%80', 'q=%ff']) {
        const answer = await company.send('GET', `/v1/memory/${list}?${query}`);
        assert.equal(outcome(answer), '400 invalid_request', `${list}?${query}`);
      }
    }
  });

  test('returns text of any script and other control characters unchanged, also in names', async () => {
    const title = 'Zażółć 日本語 ไทย 👩‍👩‍👧 \u0001\u001f\u200b\ufffd';
    assert.equal((await company.api.ingestSource({ title, text: title })).source.title, title);
    const name = '\u200fسلام\u200cها 👩\u200d🚀';
    assert.equal((await company.api.renameCompany({ name })).name, name);
  });

  test('accepts metadata of 16 KiB as JSON, in characters of any length, and returns 400 beyond', async () => {
    const { batchId, captureIds } = await lend(company);
    for (const [route, path, body] of [
      ['ingest', '', (metadata: object) => ({ ...ingest, metadata })],
      ['captures', '', (metadata: object) => ({ ...capture, metadata })],
      [
        'consolidation/complete',
        '/items/0',
        (metadata: object) => ({ batchId, items: [{ ...item, captureIds, metadata }] }),
      ],
    ] as const) {
      for (const character of ['x', 'é']) {
        const a = character.repeat(16_376 / Buffer.byteLength(character));
        assertInvalid(await post(route, body({ a: `${a}${character}` })), `${path}/metadata`);
      }
      const taken = await post(route, body({ a: 'é'.repeat(8188) }));
      assert.ok(taken.statusCode < 300, taken.body);
    }
  });
});
