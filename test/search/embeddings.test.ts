import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit, SearchResponse } from '../../shared/schemas/search.ts';
import { openTestApp } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { columns } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const company = await service.company();
const KEYWORD = { mode: 'keyword', model: CLAIM.embeddingModel };
const ask = (body: object | string) =>
  company.ask.searchMemory(typeof body === 'string' ? body : { query: 'x', scope: {}, ...body });

describe('the embedding of a query', () => {
  test('a search returns 400 query_embedding_required without an embedding', async () => {
    assert.equal(outcome(await ask({})), '400 query_embedding_required');
    assert.equal(outcome(await ask(CLAIM)), '400 query_embedding_required');
    const { detail } = (await ask({})).json<{ detail: string }>();
    assert.match(detail, /^Send "embeddingMode": "auto", .*"embeddingMode": "keyword"/);
  });

  test('a search returns 400 for another model, a wrong embeddingDim or a wrong number of values', async () => {
    // A vector is checked alike whether the request names a mode or not.
    for (const mode of [{}, { embeddingMode: 'auto' }]) {
      for (const [claim, code] of [
        [{ embeddingModel: 'xenova/bge-m3' }, 'embedding_model_mismatch'],
        [{ embeddingDim: 512 }, 'embedding_dimension_mismatch'],
        [{ queryEmbedding: [] }, 'embedding_dimension_mismatch'],
        [{ queryEmbedding: [...along(0), 0] }, 'embedding_dimension_mismatch'],
        [{ embeddingModel: 'another', embeddingDim: 3, queryEmbedding: [1] }, 'embedding_model_mismatch'],
        [{ queryEmbedding: '' }, 'embedding_dimension_mismatch'],
        [{ queryEmbedding: base64Of(along(0).slice(1)) }, 'embedding_dimension_mismatch'],
        [{ queryEmbedding: Buffer.alloc(4095, 1).toString('base64') }, 'invalid_request'],
        [{ queryEmbedding: base64Of(along(0)).replace('A', '-') }, 'invalid_request'],
        [{ queryEmbedding: base64Of(along(0).with(9, Number.NaN)) }, 'invalid_request'],
        [{ queryEmbedding: base64Of(along(9, Number.POSITIVE_INFINITY)) }, 'invalid_request'],
        [{ queryEmbedding: along(0, 0) }, 'invalid_request'],
        [{ queryEmbedding: along(0).map(String) }, 'invalid_request'],
        [{ queryEmbedding: along(0).map((n) => (n === 0 ? null : n)) }, 'invalid_request'],
        [{ embeddingModel: undefined }, 'invalid_request'],
        [{ embeddingDim: undefined }, 'invalid_request'],
      ] as const) {
        const answer = await ask({ queryEmbedding: along(0), ...CLAIM, ...mode, ...claim });
        assert.equal(outcome(answer), `400 ${code}`, JSON.stringify(claim).slice(0, 60));
      }
    }
  });

  test('a search returns 400 for an embedding with infinity or NaN and for a vector of zeros', async () => {
    const body = (numbers: string) =>
      `{"query":"x","scope":{},"embeddingModel":"${CLAIM.embeddingModel}","embeddingDim":1024,
        "queryEmbedding":[${numbers}${',0'.repeat(1023)}]}`;
    for (const number of ['1e400', 'NaN', 'Infinity', '-0', '1e-400']) {
      assert.equal(outcome(await ask(body(number))), '400 invalid_request', number);
    }
  });

  test('a search takes base64 of float32 numbers and gives the hits that it gives for the numbers', async () => {
    const company = await service.company();
    const chunks = [3, 2].map((axis) => ({ text: `axis ${axis}`, embedding: base64Of(along(axis, 7)) }));
    assert.equal((await company.api.ingestSource({ title: 'x', chunks, ...CLAIM })).embedded, 2);
    const search = async (queryEmbedding: string | number[]) =>
      (await company.api.searchMemory({ query: 'x', queryEmbedding, ...CLAIM })).hits;
    const ofNumbers = await search(along(2));
    assert.equal(ofNumbers[0]?.text, 'axis 2');
    for (const text of [base64Of(along(2)), base64Of(along(2, 1e-40))])
      assert.deepEqual(await search(text), ofNumbers);
  });

  test('a search ignores the length of the query vector', async () => {
    await company.ask.ingestSource({
      title: 'x',
      chunks: [
        { text: 'along five', embedding: along(5, 1e38) },
        { text: 'along six', embedding: along(6) },
      ],
      ...CLAIM,
    });
    for (const length of [1, 1e39, 1e300, 1e-39, 5e-324, 1e-7]) {
      const answer = await ask({ queryEmbedding: along(5, length), ...CLAIM });
      assert.equal(answer.statusCode, 200, `${length}: ${answer.body}`);
      assert.equal(answer.json<{ hits: Hit[] }>().hits[0]?.text, 'along five', String(length));
    }
  });
});

describe('keyword mode', () => {
  test('keyword mode searches by words only, although a chunk has the vector that is sent', async () => {
    const chunks = [{ text: 'the granary' }, { text: 'the mill', embedding: along(9) }];
    await company.ask.ingestSource({ title: 'x', chunks, ...CLAIM });
    for (const fields of [{}, { queryEmbedding: along(9), ...CLAIM }, { embeddingModel: 'another' }]) {
      const answer = await ask({ query: 'granary', embeddingMode: 'keyword', ...fields });
      const { embedding, degraded, hits } = answer.json<SearchResponse>();
      assert.deepEqual({ embedding, degraded }, { embedding: KEYWORD, degraded: false });
      assert.deepEqual(columns(hits, 'text', 'semantic_rank', 'keyword_rank'), [['the granary', null, 1]]);
    }
  });

  test('keyword mode applies the filters, topK and the explanation of every search', async () => {
    const chunks = ['one lantern', 'two lanterns and a lantern', 'three'].map((text) => ({ text }));
    const { source } = await company.api.ingestSource({ title: 'x', chunks });
    const fields = { query: 'lantern', embeddingMode: 'keyword', sourceIds: [source.id], minSimilarity: 1 };
    const { hits, explain } = await company.api.searchMemory({ ...fields, topK: 1, explain: true });
    assert.equal(hits.length, 1);
    assert.ok(explain);
    assert.deepEqual((await company.api.searchMemory({ ...fields, kinds: ['memory'] })).hits, []);
  });
});

describe('auto mode of a service without server embeddings', () => {
  test('auto mode searches by words if the request has no vector, and by its vector otherwise', async () => {
    const company = await service.company();
    const chunks = [{ text: 'the cooper' }, { text: 'the barrel', embedding: along(11) }];
    await company.ask.ingestSource({ title: 'x', chunks, ...CLAIM });
    const search = (fields: object) =>
      company.ask.searchMemory({ query: 'cooper', embeddingMode: 'auto', ...fields });
    for (const fields of [{}, { scope: {} }, CLAIM, { embeddingModel: 'another' }]) {
      const { embedding, degraded, hits } = (await search(fields)).json<SearchResponse>();
      assert.deepEqual({ embedding, degraded }, { embedding: KEYWORD, degraded: false });
      assert.deepEqual(columns(hits, 'text', 'semantic_rank', 'keyword_rank'), [['the cooper', null, 1]]);
    }
    for (const queryEmbedding of [along(11), base64Of(along(11))]) {
      const { embedding, hits } = (await search({ queryEmbedding, ...CLAIM })).json<SearchResponse>();
      assert.deepEqual(embedding, { mode: 'client-provided', model: CLAIM.embeddingModel });
      assert.deepEqual(hits.map((hit) => [hit.text, hit.semantic_rank]).toSorted(), [
        ['the barrel', 1],
        ['the cooper', null],
      ]);
    }
  });
});

test('server mode that is off returns 400 server_embedding_disabled before other faults', async () => {
  for (const fields of [
    {},
    { queryEmbedding: along(0), ...CLAIM },
    { queryEmbedding: [null] },
    { queryEmbedding: along(0), embeddingModel: 'another' },
    { embeddingModel: 5, embeddingDim: 'x' },
  ]) {
    const answer = await ask({ embeddingMode: 'server', ...fields });
    assert.equal(outcome(answer), '400 server_embedding_disabled', JSON.stringify(fields).slice(0, 60));
    assert.match(answer.json<{ detail: string }>().detail, /^Send "embeddingMode": "auto"/);
  }
  const number = '{"query":"x","scope":{},"embeddingMode":"server","queryEmbedding":[1e400]}';
  assert.equal(outcome(await ask(number)), '400 server_embedding_disabled');
});
