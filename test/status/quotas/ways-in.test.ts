import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { sendCapture, sendClaim } from '../../support/captures.ts';
import { type Lent, lend } from '../../support/consolidation.ts';
import { plantImports } from '../../support/import-records.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemories, addMemory, decide } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import { addPerson, CLAIM } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { countUsage } from './counted-usage.ts';

const service = await openTestApp();
const { app, database } = service;

let company: SignedIn;
let sources: string[];
let archived: string;
let published: Memory[];
let inReview: Memory[];
let superseding: Memory;
let discarded: Memory;
let lent: Lent;
let failedImports: string[];

/** What a Team over both of its quotas is answered. */
type Answer = { statusCode: number; body: string };
const take = <T>(from: T[]): T => {
  const one = from.shift();
  assert.ok(one !== undefined, 'enough was prepared');
  return one;
};
const posted = (url: string, body: object = {}): Promise<Answer> => company.send('POST', url, body);
const asked = (...request: [method: 'PATCH' | 'DELETE', url: string, body?: object]): Promise<Answer> =>
  company.send(...request);
const text = () => `A text of the quota: ${newId()}`;
const complete = (action: string, fields: object = {}) =>
  posted('/v1/memory/consolidation/complete', {
    batchId: lent.batchId,
    items: [{ captureIds: lent.captureIds, action, ...fields }],
  });
const decision = (action: string, memory: Memory, fields: object = {}): Promise<Answer> =>
  decide(company, { action, memoryId: memory.id, ...fields });
const push = (...files: object[]): Promise<Answer> => posted('/v1/workspace/push', { files });

/** Requests that add, and are refused. */
const REFUSED: readonly [route: string, name: string, send: () => Promise<Answer>][] = [
  ['POST /v1/memory/ingest', 'a text', () => posted('/v1/memory/ingest', { title: 'x', text: text() })],
  [
    'POST /v1/memory/ingest',
    'a longer text for an external id',
    () => posted('/v1/memory/ingest', { title: 'x', externalId: 'own', text: `${text()} and more of it` }),
  ],
  ['POST /v1/memory/captures', 'a capture', () => sendCapture(company, { summary: text() })],
  [
    'POST /v1/memory/consolidation/complete',
    'publish',
    () => complete('publish', { title: 'x', content: text() }),
  ],
  [
    'POST /v1/memory/consolidation/complete',
    'review',
    () => complete('review', { title: 'x', content: text() }),
  ],
  ['POST /v1/memory/memories', 'publish', () => decision('publish', inReview[0] as Memory)],
  [
    'POST /v1/memory/memories',
    'update',
    () => decision('update', published[0] as Memory, { content: text() }),
  ],
  ['POST /v1/memory/memories', 'restore', () => decision('restore', published[0] as Memory, { version: 1 })],
  [
    'POST /v1/memory/memories',
    'unpublish, which publishes a longer memory again',
    () => decision('unpublish', superseding),
  ],
  [
    'POST /v1/memory/sources/{id}/restore',
    'an archived source',
    () => posted(`/v1/memory/sources/${archived}/restore`),
  ],
  ['POST /v1/workspace/push', 'a file', () => push(file('team/new.md', text()))],
];

/** Requests that add nothing, and are answered as ever. */
const ALLOWED: readonly [route: string, name: string, send: () => Promise<Answer>][] = [
  [
    'POST /v1/memory/ingest',
    'the same text again',
    () => posted('/v1/memory/ingest', { title: 'y', externalId: 'own', text: 'Own.' }),
  ],
  [
    'POST /v1/memory/ingest',
    'a shorter text for an external id',
    () => posted('/v1/memory/ingest', { title: 'x', externalId: 'own', text: 'Own' }),
  ],
  [
    'POST /v1/memory/search',
    'a search',
    () => posted('/v1/memory/search', { query: 'quota', scope: {}, embeddingMode: 'keyword' }),
  ],
  ['POST /v1/memory/expand', 'no chunk', () => posted('/v1/memory/expand', { chunkId: newId() })],
  ['POST /v1/memory/feedback', 'a verdict', () => feedback()],
  [
    'PATCH /v1/memory/sources/{id}',
    'another title',
    () => asked('PATCH', `/v1/memory/sources/${sources[0]}`, { title: 'A much longer title than before' }),
  ],
  ['DELETE /v1/memory/sources/{id}', 'archive', () => asked('DELETE', `/v1/memory/sources/${take(sources)}`)],
  ['POST /v1/memory/sources/{id}/purge', 'purge', () => posted(`/v1/memory/sources/${take(sources)}/purge`)],
  [
    'POST /v1/memory/sources/archive',
    'archive many',
    () => posted('/v1/memory/sources/archive', { filter: { q: 'nothing has this' }, dryRun: false }),
  ],
  [
    'POST /v1/memory/imports',
    'a file, whose import then fails',
    () => posted('/v1/memory/imports', { items: [{ filename: 'a.txt', text: text() }] }),
  ],
  [
    'POST /v1/memory/imports/{id}/retry',
    'retry',
    () => posted(`/v1/memory/imports/${take(failedImports)}/retry`),
  ],
  [
    'POST /v1/memory/imports/retry',
    'retry several',
    () => posted('/v1/memory/imports/retry', { ids: [take(failedImports)] }),
  ],
  [
    'DELETE /v1/memory/imports/{id}',
    'delete',
    () => asked('DELETE', `/v1/memory/imports/${take(failedImports)}`),
  ],
  ['POST /v1/memory/consolidation/complete', 'discard', () => complete('discard')],
  ['POST /v1/memory/consolidation/claim', 'claim', () => sendClaim(company)],
  ['POST /v1/memory/consolidation/release', 'release', () => release()],
  ['POST /v1/memory/embeddings/claim', 'claim', () => posted('/v1/memory/embeddings/claim', { limit: 1 })],
  ['POST /v1/memory/embeddings/complete', 'complete', () => embed()],
  ['POST /v1/memory/memories', 'renew', () => decision('renew', published[1] as Memory, { expiresAt: null })],
  ['POST /v1/memory/memories', 'delete', () => decision('delete', published[1] as Memory)],
  ['POST /v1/memory/memories', 'unpublish', () => decision('unpublish', published[2] as Memory)],
  ['POST /v1/memory/memories', 'discard', () => decision('discard', inReview[1] as Memory)],
  ['POST /v1/memory/memories', 'reopen', () => decision('reopen', discarded)],
  [
    'POST /v1/memory/memories/{id}/purge',
    'purge',
    () => posted(`/v1/memory/memories/${published[3]?.id}/purge`),
  ],
  ['POST /v1/workspace/push', 'a deletion', () => push(deletion('team/old.md', 1))],
  [
    'POST /v1/workspace/pull',
    'pull',
    () => posted('/v1/workspace/pull', { files: [{ path: 'team/old.md' }] }),
  ],
];

async function feedback(): Promise<Answer> {
  const found = await posted('/v1/memory/search', { query: 'prepared', scope: {}, embeddingMode: 'keyword' });
  const { queryId, hits } = JSON.parse(found.body) as { queryId: string; hits: { chunk_id: string }[] };
  return posted('/v1/memory/feedback', {
    queryId,
    chunkId: hits[0]?.chunk_id,
    verdict: 'wrong',
    note: text(),
  });
}

async function release(): Promise<Answer> {
  const claimed = JSON.parse((await sendClaim(company)).body) as { batch: { id: string } | null };
  // The claim before has the capture that is left.
  const open = await company.ask.listBatches();
  const batchId = claimed.batch?.id ?? (JSON.parse(open.body) as { items: { id: string }[] }).items[0]?.id;
  return posted('/v1/memory/consolidation/release', { batchId });
}

async function embed(): Promise<Answer> {
  const { body } = await posted('/v1/memory/embeddings/claim', { limit: 1 });
  const { batch } = JSON.parse(body) as { batch: { id: string; chunks: { chunkId: string }[] } };
  const embeddings = batch.chunks.map(({ chunkId }) => ({ chunkId, embedding: [1, ...Array(1023).fill(0)] }));
  return posted('/v1/memory/embeddings/complete', { batchId: batch.id, ...CLAIM, embeddings });
}

before(async () => {
  company = await service.company();
  sources = [];
  for (let n = 0; n < 5; n++) {
    sources.push((await addSource(company, { text: `prepared ${newId()}` })).id);
  }
  archived = take(sources);
  assert.equal((await asked('DELETE', `/v1/memory/sources/${archived}`)).statusCode, 204);
  await addSource(company, { title: 'y', externalId: 'own', text: 'Own.' });
  const contents = (count: number) =>
    Array.from({ length: count }, () => ({ content: `prepared ${newId()}` }));
  published = await addMemories(company, 'published', contents(4));
  const old = await addMemory(company, 'published', { content: 'A long memory of the quota.' });
  superseding = await addMemory(company, 'published', { content: 'Short.', supersedes: old.id });
  const [first, ...others] = await addMemories(company, 'review', contents(3));
  assert.ok(first);
  inReview = others;
  assert.equal((await decision('discard', first)).statusCode, 200);
  discarded = first;
  assert.equal((await push(file('team/old.md', 'An old file.'))).statusCode, 200);
  failedImports = await plantImports(service, company, 3);
  lent = await lend(company);
  await sendCapture(company, { summary: 'Left to be claimed.' });
  const quota = { quota: { chunks: 0, bytes: 0 } };
  await company.api.renameTeam(company.teamId, quota);
});

for (const [route, name, send] of REFUSED) {
  test(`${route} is refused over the quota: ${name}`, async () => {
    const stored = await countUsage(database, company);
    const { statusCode, body } = await send();
    assert.equal(statusCode, 409, body);
    const { code, detail } = JSON.parse(body) as { code: string; detail: string };
    assert.equal(code, 'quota_exceeded');
    assert.match(
      detail,
      /^The Team uses \d+ of 0 (passages, .* \d+\. Archive or purge|bytes, .* \d+\. Purge) what/,
    );
    assert.deepEqual(await countUsage(database, company), stored);
  });
}

test('the tools of MCP that add are refused over the quota, and say what to do', async () => {
  const item = { captureIds: lent.captureIds, action: 'publish', title: 'x', content: text() };
  const memory = published[0] as Memory;
  const calls: Record<string, object> = {
    remember: { text: text() },
    forget: { id: archived, undo: true },
    stage_session: { session: 's', sequence: 1, text: text() },
    complete_captures: { batchId: lent.batchId, items: [item] },
    decide_memory: { id: memory.id, version: memory.version, action: 'update', content: text() },
  };
  for (const [tool, args] of Object.entries(calls)) {
    const answer = await callTool(company, tool, args);
    assert.ok(answer.isError, tool);
    assert.match(answer.text, /^quota_exceeded: The Team uses \d+ of 0 \w+, .*Owner of the Company/, tool);
  }
  // What a member remembers waits for a decision.
  const member = await addPerson(service, company, { teamRole: 'member' });
  await company.ask.changeSelectedTeam({ publish: 'review' });
  const submitted = await callTool(member, 'remember', { text: text() });
  await company.ask.changeSelectedTeam({ publish: 'anyone' });
  // Without Full access, the answer has no figures of the Team.
  assert.match(
    submitted.text,
    /^quota_exceeded: The Team has reached its quota of bytes, and this would add \d+\. /,
  );
});

test('each of several decisions is checked by itself', async () => {
  const [first, second] = [published[0], inReview[0]] as [Memory, Memory];
  const decisions = [
    { action: 'update', memoryId: first.id, content: text() },
    { action: 'update', memoryId: first.id, tags: ['harbour'] },
    { action: 'publish', memoryId: second.id },
  ];
  const answer = await posted('/v1/memory/memories', { decisions });
  const { results } = JSON.parse(answer.body) as { results: { problem?: { code: string } }[] };
  assert.deepEqual(
    results.map(({ problem }) => problem?.code ?? null),
    ['quota_exceeded', null, 'quota_exceeded'],
  );
});

for (const [route, name, send] of ALLOWED) {
  test(`${route} is answered over the quota: ${name}`, async () => {
    const stored = await countUsage(database, company);
    const { statusCode, body } = await send();
    assert.ok(statusCode >= 200 && statusCode < 300, `${statusCode} ${body}`);
    const { bytes, chunks } = await countUsage(database, company);
    assert.ok(bytes <= stored.bytes && chunks <= stored.chunks, 'it adds nothing');
  });
}

test('every route that changes memory or files is in the tables of this file', async () => {
  const { paths } = (await app.inject({ url: '/docs/json' })).json<{ paths: Record<string, object> }>();
  const routes = Object.entries(paths)
    .filter(([path]) => /^\/v1\/(memory|workspace)\//.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => !route.startsWith('GET '));
  const tried = new Set([...REFUSED, ...ALLOWED].map(([route]) => route));
  assert.deepEqual([...tried].sort(), [...new Set(routes)].sort());
});

test('a push of files is one change: refused as a whole', async () => {
  const workspace = workspaceOf(app, company.headers);
  const pushed = await workspace.push([file('team/1.md', text()), file('team/2.md', text())]);
  assert.equal(pushed.code, 'quota_exceeded');
  assert.equal(await workspace.content('team/1.md'), null);
});
