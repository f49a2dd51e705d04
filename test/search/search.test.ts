import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../shared/schemas/search.ts';
import { NO_PLACE } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { type Body } from '../support/client/client.ts';
import { outcome } from '../support/sign-in.ts';
import { along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

interface Found {
  queryId: string;
  embedding: { mode: string; model: string };
  degraded: boolean;
  hits: Hit[];
}

/** Searches along an axis without chunks, so that only words decide, unless the test sets a vector. */
async function search(caller: Caller, body: Body<'searchMemory'>): Promise<Found> {
  return await caller.api.searchMemory({
    scope: {},
    queryEmbedding: along(1000),
    ...CLAIM,
    ...body,
  });
}

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
      tags: [],
      created_at: chunk?.at.toISOString(),
      occurred_at: null,
      location: { document_title: null, ...NO_PLACE },
      semantic_rank: 1,
      keyword_rank: 1,
      duplicates: 0,
    });
  });

  test('a hit has a null rank for a leg that did not find it, and else ranks from 1', async () => {
    const company = await service.company();
    await ingest(company, {
      chunks: [
        { text: 'walrus alone' },
        { text: 'something near', embedding: along(7) },
        { text: 'something else', embedding: along(8) },
      ],
      ...CLAIM,
    });
    const { hits } = await search(company, { query: 'walrus', queryEmbedding: along(7) });
    const ranks = Object.fromEntries(hits.map((hit) => [hit.text, [hit.semantic_rank, hit.keyword_rank]]));
    assert.deepEqual(ranks, {
      'walrus alone': [null, 1],
      'something near': [1, null],
      'something else': [2, null],
    });
  });

  test('hits are ordered by descending score', async () => {
    const company = await service.company();
    const texts = ['otter', 'otter otter river', 'a river without', 'otter and river and more of it'];
    await ingest(company, { chunks: texts.map((text, n) => ({ text, embedding: along(n) })), ...CLAIM });
    const { hits } = await search(company, { query: 'otter river', queryEmbedding: along(1) });
    assert.equal(hits[0]?.text, 'otter otter river');
    const scores = hits.map((hit) => hit.score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  });

  test('hits are limited to topK, which is 8 by default', async () => {
    const company = await service.company();
    await ingest(company, { chunks: Array.from({ length: 12 }, (_, n) => ({ text: `heron ${n}` })) });
    for (const [topK, expected] of [
      [undefined, 8],
      [1, 1],
      [12, 12],
      [50, 12],
    ] as const) {
      const { hits } = await search(company, { query: 'heron', topK });
      assert.equal(hits.length, expected);
      assert.equal(new Set(hits.map((hit) => hit.chunk_id)).size, expected);
    }
  });

  test('hits are empty in an empty Team and for a query without a match', async () => {
    const company = await service.company();
    assert.deepEqual((await search(company, { query: 'anything' })).hits, []);
    await ingest(company, { text: 'One text.' });
    assert.deepEqual((await search(company, { query: 'unheard' })).hits, []);
    assert.deepEqual((await search(company, { query: '?!' })).hits, []);
  });
});

describe('the keyword search', () => {
  test('keyword search finds a code inside a question among many similar texts', async () => {
    const company = await service.company();
    const codes = Array.from({ length: 60 }, (_, n) => `PX-${4700 + n}`);
    await ingest(company, {
      chunks: codes.map((code) => ({ text: `Error ${code}: the pump stopped, open the valve and wait.` })),
    });
    const { hits } = await search(company, {
      query: 'What does it mean when the pump stopped with error px-4711, and which valve should I open?',
    });
    assert.match(hits[0]?.text ?? '', /PX-4711/);
    assert.equal(hits[0]?.keyword_rank, 1);
  });

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

  test('keyword search ignores case, accents and the width of characters', async () => {
    const company = await service.company();
    await ingest(company, { text: 'Die Übergabe im Café Ｎｏｒｄ' });
    for (const query of ['übergabe', 'UBERGABE', 'cafe', 'nord']) {
      assert.equal((await search(company, { query })).hits.length, 1, query);
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
  const events = (companyId: string) =>
    database.query<{
      subject: string;
      type: string;
      actor: string;
      team: string;
      detail: Record<string, unknown>;
      text: string;
    }>(
      `select subject_id as subject, subject_type as type, actor_id as actor, team_id as team, detail,
              e::text as text
         from memory.audit_event e where company_id = $1 and kind = 'memory.search' order by id`,
      [companyId],
    );

  test('the audit event of a search records the scope, topK and the hits, but not the query', async () => {
    const company = await service.company();
    await ingest(company, { chunks: [{ text: 'confidential merger' }, { text: 'merger plan' }] });
    for (const storeQueryText of [undefined, false]) {
      const { queryId, hits } = await search(company, { query: 'merger quokka', storeQueryText, topK: 5 });
      const event = (await events(company.companyId)).at(-1)!;
      assert.deepEqual(
        [event.subject, event.type, event.actor, event.team],
        [queryId, 'query', company.ownerId, company.teamId],
      );
      const { hitsHash, ...detail } = event.detail;
      assert.deepEqual(detail, { scope: {}, topK: 5 });
      assert.match(String(hitsHash), /^[0-9a-f]{64}$/);
      assert.doesNotMatch(event.text, /quokka|merger/);
      const [listed] = await company.all.listTeamAudit({ kind: 'memory.search' });
      assert.deepEqual(listed?.detail, { ...event.detail, hitIds: hits.map((hit) => hit.chunk_id) });
    }
  });

  test('the audit event of a search stores the query only with storeQueryText', async () => {
    const company = await service.company();
    await search(company, { query: 'a stored question', storeQueryText: true, scope: { include: ['team'] } });
    const [event] = await events(company.companyId);
    assert.deepEqual(Object.keys(event?.detail ?? {}).sort(), ['hitsHash', 'queryHash', 'scope', 'topK']);
    assert.doesNotMatch(event?.text ?? '', /question/);
    const [listed] = await company.all.listTeamAudit();
    assert.deepEqual(listed?.detail, { ...event?.detail, hitIds: [], query: 'a stored question' });
  });

  test('an answered search has one audit event and a refused one has none', async () => {
    const company = await service.company();
    await search(company, { query: 'one' });
    const refused = await company.ask.searchMemory({ query: 'two', scope: {} });
    assert.equal(outcome(refused), '400 query_embedding_required');
    assert.equal((await events(company.companyId)).length, 1);
  });
});
