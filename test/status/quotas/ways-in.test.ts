import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import { ROUTES } from '../../../web/src/api/operations.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { sendCapture, sendClaim } from '../../support/captures.ts';
import { type Lent, lend } from '../../support/consolidation.ts';
import { plantImports } from '../../support/import-records.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemories, addMemory, decide } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import { addPerson, along, CLAIM } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { countUsage } from './counted-usage.ts';

const service = await openTestApp();
const { app, database } = service;

let company: SignedIn;
let sources: string[];
let archived: string;
let versioned: string;
let published: Memory[];
let inReview: Memory[];
let superseding: Memory;
let discarded: Memory;
let lent: Lent;
let failedImports: string[];

type Answer = { statusCode: number; body: string };
type Way = [operation: string, name: string, send: () => Promise<Answer>];
const take = <T>(from: T[]): T => {
  const one = from.shift();
  assert.ok(one !== undefined, 'enough was prepared');
  return one;
};
const text = () => `A text of the quota: ${newId()}`;
const ingestOwn = (own: string) => company.ask.ingestSource({ title: 'x', externalId: 'own', text: own });
const changeText = async (own: string) => {
  const { id, updatedAt } = await company.api.getSource(sources.at(-1)!);
  return company.ask.changeSource(id, { text: own, baseUpdatedAt: updatedAt });
};
const complete = (action: string, fields: object = {}) =>
  company.ask.completeCaptures({
    batchId: lent.batchId,
    items: [{ captureIds: lent.captureIds, action, ...fields }],
  });
const decision = (action: string, memory: Memory, fields: object = {}): Promise<Answer> =>
  decide(company, { action, memoryId: memory.id, ...fields });
const push = (...files: object[]) => company.ask.pushFiles({ files });

/** Requests that add, and are refused, by their operations. */
const REFUSED: readonly Way[] = [
  ['ingestSource', 'a text', () => company.ask.ingestSource({ title: 'x', text: text() })],
  ['ingestSource', 'a longer text for an external id', () => ingestOwn(`${text()} and more of it`)],
  ['changeSource', 'a longer text', () => changeText(`${text()} and more of it`)],
  [
    'restoreSourceVersion',
    'a former text',
    () => company.send('POST', `/v1/memory/sources/${versioned}/versions/1/restore`),
  ],
  ['ingestSource', 'a shorter text, beside which the one before is kept', () => ingestOwn('Own')],
  ['stageCapture', 'a capture', () => sendCapture(company, { summary: text() })],
  ['completeCaptures', 'publish', () => complete('publish', { title: 'x', content: text() })],
  ['completeCaptures', 'review', () => complete('review', { title: 'x', content: text() })],
  ['decideMemory', 'publish', () => decision('publish', inReview[0]!)],
  ['decideMemory', 'update', () => decision('update', published[0]!, { content: text() })],
  ['decideMemory', 'restore', () => decision('restore', published[0]!, { version: 1 })],
  [
    'decideMemory',
    'unpublish, which publishes a longer memory again',
    () => decision('unpublish', superseding),
  ],
  ['restoreSource', 'an archived source', () => company.ask.restoreSource(archived)],
  ['pushFiles', 'a file', () => push(file('team/new.md', text()))],
];

/** Requests that add nothing, and are answered as ever. */
const ALLOWED: readonly Way[] = [
  ['ingestSource', 'the same text again', () => ingestOwn('Own.')],
  ['searchMemory', 'a search', () => company.ask.searchMemory({ query: 'quota', embeddingMode: 'keyword' })],
  ['expandChunk', 'no chunk', () => company.ask.expandChunk({ chunkId: newId() })],
  ['giveFeedback', 'a verdict', () => feedback()],
  [
    'changeSource',
    'a longer title',
    () => company.ask.changeSource(sources[0], { title: 'Much longer than before' }),
  ],
  [
    'changeSources',
    'a tag',
    () => company.ask.changeSources({ ids: [sources[0]!], change: { tags: { add: ['harbour'] } } }),
  ],
  ['archiveSource', 'archive', () => company.ask.archiveSource(take(sources))],
  ['purgeSource', 'purge', () => company.ask.purgeSource(take(sources))],
  [
    'archiveSources',
    'archive many',
    () => company.ask.archiveSources({ filter: { q: 'nothing' }, dryRun: false }),
  ],
  [
    'importFiles',
    'a file, whose import then fails',
    () => company.ask.importFiles({ items: [{ filename: 'a.txt', text: text() }] }),
  ],
  ['retryImport', 'retry', () => company.ask.retryImport(take(failedImports))],
  ['retryImports', 'retry several', () => company.ask.retryImports({ ids: [take(failedImports)] })],
  ['removeImport', 'delete', () => company.ask.removeImport(take(failedImports))],
  ['completeCaptures', 'discard', () => complete('discard')],
  ['claimCaptures', 'claim', () => sendClaim(company)],
  ['releaseBatch', 'release', () => release()],
  ['claimEmbeddings', 'claim', () => company.ask.claimEmbeddings({ limit: 1 })],
  ['completeEmbeddings', 'complete', () => embed()],
  ['decideMemory', 'renew', () => decision('renew', published[1]!, { expiresAt: null })],
  ['decideMemory', 'delete', () => decision('delete', published[1]!)],
  ['decideMemory', 'unpublish', () => decision('unpublish', published[2]!)],
  ['decideMemory', 'discard', () => decision('discard', inReview[1]!)],
  ['decideMemory', 'reopen', () => decision('reopen', discarded)],
  ['purgeMemory', 'purge', () => company.ask.purgeMemory(published[3]!.id)],
  ['pushFiles', 'a deletion', () => push(deletion('team/old.md', 1))],
  ['pullFiles', 'pull', () => company.ask.pullFiles({ files: [{ path: 'team/old.md' }] })],
];

async function feedback(): Promise<Answer> {
  const { queryId, hits } = await company.api.searchMemory({ query: 'prepared', embeddingMode: 'keyword' });
  const about = { queryId, chunkId: hits[0]!.chunk_id };
  return company.ask.giveFeedback({ ...about, verdict: 'wrong', note: text() });
}

async function release(): Promise<Answer> {
  // The claim before has the capture that is left.
  const { items } = await company.api.listBatches();
  return company.ask.releaseBatch({ batchId: items[0]!.id });
}

async function embed(): Promise<Answer> {
  const { batch } = await company.api.claimEmbeddings({ limit: 1 });
  const embeddings = batch!.chunks.map(({ chunkId }) => ({ chunkId, embedding: along(0) }));
  return company.ask.completeEmbeddings({ batchId: batch!.id, ...CLAIM, embeddings });
}

before(async () => {
  company = await service.company();
  sources = [];
  for (let n = 0; n < 5; n++) {
    sources.push((await addSource(company, { text: `prepared ${newId()}` })).id);
  }
  archived = take(sources);
  for (let n = 0; n < 2; n += 1) {
    versioned = (await addSource(company, { text: text(), externalId: 'versioned' })).id;
  }
  await company.api.archiveSource(archived);
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

for (const [operation, name, send] of REFUSED) {
  test(`${operation} is refused over the quota: ${name}`, async () => {
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
  const memory = published[0]!;
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
  const [first, second] = [published[0]!, inReview[0]!];
  const decisions = [
    { action: 'update', memoryId: first.id, content: text() },
    { action: 'update', memoryId: first.id, tags: ['harbour'] },
    { action: 'publish', memoryId: second.id },
  ];
  const answer = await company.ask.decideMemory({ decisions });
  const { results } = answer.json<{ results: { problem?: { code: string } }[] }>();
  assert.deepEqual(
    results.map(({ problem }) => problem?.code ?? null),
    ['quota_exceeded', null, 'quota_exceeded'],
  );
});

test('each of several sources is checked by itself', async () => {
  const ids = [archived, sources[0]!];
  const { results } = await company.api.changeSources({ ids, change: { state: 'active' } });
  assert.deepEqual(
    results.map(({ problem }) => problem?.code ?? null),
    ['quota_exceeded', null],
  );
});

for (const [operation, name, send] of ALLOWED) {
  test(`${operation} is answered over the quota: ${name}`, async () => {
    const stored = await countUsage(database, company);
    const { statusCode, body } = await send();
    assert.ok(statusCode >= 200 && statusCode < 300, `${statusCode} ${body}`);
    const { bytes, chunks } = await countUsage(database, company);
    assert.ok(bytes <= stored.bytes && chunks <= stored.chunks, 'it adds nothing');
  });
}

test('every operation that changes memory or files is in the tables of this file', () => {
  const changing = Object.entries(ROUTES)
    .filter(([, [method, path]]) => method !== 'GET' && /^\/v1\/(memory|workspace)\//.test(path))
    .map(([operation]) => operation);
  const tried = new Set([...REFUSED, ...ALLOWED].map(([operation]) => operation));
  assert.deepEqual([...tried].sort(), changing.sort());
});

test('a push of files is one change: refused as a whole', async () => {
  const workspace = workspaceOf(app, company.headers);
  const pushed = await workspace.push([file('team/1.md', text()), file('team/2.md', text())]);
  assert.equal(pushed.code, 'quota_exceeded');
  assert.equal(await workspace.content('team/1.md'), null);
});
