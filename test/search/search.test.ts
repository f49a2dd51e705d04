import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { type Body } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { PLAIN_PASSAGE } from '../support/sources.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** Searches along an axis without chunks, so that only words decide, unless the test sets a vector. */
const search = (caller: Caller, body: Body<'searchMemory'>) =>
  caller.api.searchMemory({ scope: {}, queryEmbedding: along(1000), ...CLAIM, ...body });

async function ingest(caller: Caller, body: object): Promise<string> {
  return (await caller.api.ingestSource({ title: 'A title', ...body })).source.id;
}

describe('the hits of a search', () => {
  test('hits have exactly the fields of the contract, and the answer names the embedding mode', async () => {
    const company = await service.company();
    const source = await ingest(company, {
      uri: 'https://example.com/manual',
      chunks: [{ text: 'The pump hums.' }, { text: 'The valve leaks.', embedding: along(3) }],
      ...CLAIM,
    });
    const { hits, queryId, ...rest } = await search(company, { query: 'valve', queryEmbedding: along(3) });
    assert.deepEqual(rest, {
      embedding: { mode: 'client-provided', model: CLAIM.embeddingModel },
      degraded: false,
    });
    assert.match(queryId, /^[0-9a-f-]{36}$/);
    const [chunk] = await database.query<{ id: string; at: Date }>(
      'select id, created_at as at from memory.chunk where source_id = $1 and ordinal = 1',
      [source],
    );
    assert.equal(hits.length, 1);
    const { score, ...hit } = hits[0]!;
    assert.equal(typeof score, 'number');
    assert.deepEqual(hit, {
      chunk_id: chunk?.id,
      source_id: source,
      title: 'A title',
      uri: 'https://example.com/manual',
      text: 'The valve leaks.',
      ordinal: 1,
      layer: 'team',
      client_id: null,
      kind: 'ingest',
      ...PLAIN_PASSAGE,
      created_at: chunk?.at.toISOString(),
      semantic_rank: 1,
      keyword_rank: 1,
      duplicates: 0,
    });
  });

  test('hits are limited to topK, which is 8 by default', async () => {
    const company = await service.company();
    await ingest(company, { chunks: Array.from({ length: 12 }, (_, n) => ({ text: `heron ${n}` })) });
    for (const [topK, expected] of [
      [undefined, 8],
      [1, 1],
      [50, 12],
    ] as const) {
      const { hits } = await search(company, { query: 'heron', topK });
      assert.deepEqual([hits.length, new Set(column(hits, 'chunk_id')).size], [expected, expected]);
    }
  });
});

describe('the keyword search', () => {
  test('keyword search finds Chinese, Japanese and Thai words in text without spaces', async () => {
    const company = await service.company();
    const texts = {
      水泵: '如果水泵停止工作，请先关闭主阀门。',
      请假: '员工请假需要提前三天提交申请。',
      会議室: '会議室は三階にあります。',
      วันหยุด: 'พนักงานมีวันหยุดพักร้อนปีละสิบวัน',
      ประชุม: 'ห้องประชุมอยู่ที่ชั้นสาม',
    };
    await ingest(company, { chunks: Object.values(texts).map((text) => ({ text })) });
    for (const [query, text] of Object.entries(texts)) {
      assert.equal((await search(company, { query })).hits[0]?.text, text, query);
    }
  });

  test('keyword search treats the operators of query languages as ordinary characters', async () => {
    const company = await service.company();
    await ingest(company, { text: "The O'Neil report & its annex" });
    for (const query of [
      "O'Neil",
      'report & annex',
      '!report | (annex',
      'report:*',
      "'; drop table x --report",
    ]) {
      assert.equal((await search(company, { query })).hits.length, 1, query);
    }
  });
});

describe('the audit event of a search', () => {
  /** The events of searches, newest first, as text. */
  const stored = (companyId: string) =>
    database.query<{ text: string }>(
      `select e::text as text from memory.audit_event e where company_id = $1 and kind = 'memory.search' order by id desc`,
      [companyId],
    );

  test('the audit event of a search records the scope, topK and the hits, but not the query', async () => {
    const company = await service.company();
    await ingest(company, { chunks: [{ text: 'confidential merger' }, { text: 'merger plan' }] });
    for (const storeQueryText of [undefined, false]) {
      const { queryId, hits } = await search(company, { query: 'merger quokka', storeQueryText, topK: 5 });
      const [event] = await company.all.listTeamAudit({ kind: 'memory.search' });
      assert.equal(event?.subjectId, queryId);
      const { hitsHash, ...detail } = event.detail;
      assert.deepEqual(detail, { scope: {}, topK: 5, hitIds: column(hits, 'chunk_id') });
      assert.match(String(hitsHash), /^[0-9a-f]{64}$/);
      assert.doesNotMatch((await stored(company.companyId))[0]?.text ?? '', /quokka|merger|hitIds/);
    }
  });

  test('the audit event of a search stores the query only with storeQueryText, and not in itself', async () => {
    const company = await service.company();
    await search(company, { query: 'a stored question', storeQueryText: true });
    const [event] = await company.all.listTeamAudit();
    assert.equal(event?.detail['query'], 'a stored question');
    const [{ text } = { text: '' }] = await stored(company.companyId);
    assert.match(text, /queryHash/);
    assert.doesNotMatch(text, /question/);
  });

  test('an answered search has one audit event and a refused one has none', async () => {
    const company = await service.company();
    await search(company, { query: 'one' });
    const refused = await company.ask.searchMemory({ query: 'two', scope: {} });
    assert.equal(outcome(refused), '400 query_embedding_required');
    assert.equal((await stored(company.companyId)).length, 1);
  });
});
