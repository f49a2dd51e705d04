import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../../shared/schemas/memory.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM, get, post } from '../support/team.ts';

// No worker runs here, so no query is embedded in time.
const service = await openTestApp({
  MEMORY_API_SERVER_EMBEDDINGS: '1',
  MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: '50',
});

test('health and status say that server mode is on', async () => {
  const company = await service.company();
  const embedder = { mode: 'server', model: CLAIM.embeddingModel, dim: 1024, serverModeEnabled: true };
  for (const url of ['/v1/health', '/v1/memory/status']) {
    assert.deepEqual((await get(service, company, url)).json<{ embedder: object }>().embedder, embedder);
  }
});

test('a search whose query is not embedded in time is answered by keywords, and says so', async () => {
  const company = await service.company();
  await post(service, company, '/v1/memory/ingest', {
    title: 'x',
    chunks: [{ text: 'the lighthouse keeper', embedding: along(1) }, { text: 'the harbour' }],
    ...CLAIM,
  });
  const answer = await post(service, company, '/v1/memory/search', {
    query: 'lighthouse',
    scope: {},
    embeddingMode: 'server',
  });
  assert.equal(answer.statusCode, 200, answer.body);
  const { embedding, degraded, hits } = answer.json<{ embedding: object; degraded: boolean; hits: Hit[] }>();
  assert.deepEqual(embedding, { mode: 'server', model: CLAIM.embeddingModel });
  assert.equal(degraded, true);
  assert.deepEqual(
    hits.map((hit) => [hit.text, hit.semantic_rank, hit.keyword_rank]),
    [['the lighthouse keeper', null, 1]],
  );
});

test('a client that makes its embeddings goes on doing so, by the same rules', async () => {
  const company = await service.company();
  const ask = (body: object) =>
    post(service, company, '/v1/memory/search', { query: 'x', scope: {}, ...body });
  const given = await ask({ queryEmbedding: along(0), ...CLAIM });
  const { embedding, degraded } = given.json<{ embedding: { mode: string }; degraded: boolean }>();
  assert.deepEqual([embedding.mode, degraded], ['client-provided', false]);
  assert.equal(outcome(await ask({})), '400 query_embedding_required');
});
