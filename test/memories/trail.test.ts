import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { claimBatch, stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { completed } from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM, type Person } from '../support/team.ts';

const service = await openTestApp();

/** Who made what in the life of a memory. */
interface Life {
  company: SignedIn;
  author: Person;
  reviewer: Person;
  clientId: string;
  captureId: string;
  batchId: string;
  memoryId: string;
}

/** Searches for something, with the query text stored or not. */
async function search(caller: Caller, query: string, storeQueryText: boolean): Promise<string> {
  const body = { query, scope: {}, queryEmbedding: along(3), ...CLAIM, storeQueryText };
  return (await caller.api.searchMemory(body)).queryId;
}

/** A memory from its capture to its end, with every text that there can be marked by a word of its own. */
async function live(company: SignedIn): Promise<Life> {
  const clientId = await addClient(service, company);
  const author = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const reviewer = await addPerson(service, company, { teamRole: 'admin' });
  const { id: captureId } = await stageCapture(author, {
    sessionId: 'secret-session',
    summary: 'secret-summary',
    sequence: 1,
    metadata: { 'secret-key': 'secret-metadata' },
    scope: { clientId },
  });
  const batch = await claimBatch(author);
  assert.ok(batch);
  const [result] = await completed(author, batch.id, [
    {
      captureIds: [captureId],
      action: 'review',
      title: 'secret-title',
      content: 'secret-content',
      metadata: { 'secret-key': 'secret-metadata' },
    },
  ]);
  const memoryId = result?.memoryId ?? '';
  await decided(reviewer, {
    action: 'publish',
    memoryId,
    title: 'secret-title',
    content: 'secret-2',
  });
  await search(author, 'secret-query', false);
  await decided(reviewer, { action: 'update', memoryId, title: 'secret-3', content: 'secret-4' });
  await decided(company, { action: 'delete', memoryId });
  return { company, author, reviewer, clientId, captureId, batchId: batch.id, memoryId };
}

const events = (caller: Caller, url: string) => caller.readAll<AuditEvent>(url);

test('the first event of a memory leads to its captures and their claim', async () => {
  const { company, author, captureId, batchId, memoryId } = await live(await service.company());
  const url = '/v1/memory/audit?subjectId=';
  const trail = (await events(company, url + memoryId)).toReversed();
  assert.deepEqual(
    trail.map(({ kind, layer }) => [kind, layer]),
    ['review', 'publish', 'update', 'delete'].map((kind) => [`memory.${kind}`, 'client']),
  );
  assert.equal(new Set(trail.slice(1).map(({ detail }) => detail['sourceId'])).size, 1, 'of one source');
  assert.deepEqual(trail[0]?.detail, { version: 1, batchId, captureIds: [captureId] });
  for (const [id, kind, detail] of [
    [batchId, 'memory.claim', { captureIds: [captureId] }],
    [captureId, 'memory.capture', { sequence: 1 }],
  ] as const) {
    const [event, ...others] = await events(company, url + id);
    assert.deepEqual([event?.kind, event?.actorId, event?.detail], [kind, author.userId, detail]);
    assert.deepEqual(others, []);
  }
});

test('events can be filtered by kind, and by kind and subject', async () => {
  const { company, batchId, memoryId } = await live(await service.company());
  await live(company);
  const ofKind = await company.all.listTeamAudit({ kind: 'memory.claim' });
  assert.deepEqual(column(ofKind, 'kind'), ['memory.claim', 'memory.claim']);
  const both = { kind: 'memory.claim', subjectId: batchId };
  assert.deepEqual(await company.all.listTeamAudit(both), [ofKind[1]]);
  assert.deepEqual(await company.all.listTeamAudit({ ...both, subjectId: memoryId }), []);
});

test('the Team audit hides the events of an archived client, and the Company audit shows them', async () => {
  const { company, clientId, memoryId } = await live(await service.company());
  await company.api.archiveClient(clientId);
  const trail = `audit?subjectId=${memoryId}`;
  assert.deepEqual(await events(company, `/v1/memory/${trail}`), []);
  assert.equal((await events(company, `/v1/company/${trail}`)).length, 4);
});

describe('contents of audit events', () => {
  test('events contain no text of a memory, a capture or a search, and no token', async () => {
    const company = await service.company();
    let tokens: string[] = [];
    const { text, events: recorded } = await recordedBy(service, company, async () => {
      const { author, reviewer } = await live(company);
      tokens = [company, author, reviewer].map(({ token }) => token);
      const source = await addSource(company, {
        title: 'secret-title',
        text: 'secret-text',
        uri: 'https://example.com/secret',
        externalId: 'secret-id',
        metadata: { secret: true },
      });
      await archived(company, source.id);
    });
    assert.equal(recorded.length, 9, 'of all that was done');
    assert.doesNotMatch(text, /secret/i);
    assert.equal(tokens.length, 3);
    for (const token of tokens) assert.ok(!text.includes(token));
  });

  test('lists show the query of a search only if the search asks to store it, and no event contains it', async () => {
    const company = await service.company();
    const { text } = await recordedBy(service, company, async () => {
      await search(company, 'secret-query', false);
      await search(company, 'stored-query', true);
    });
    const listed = await company.all.listTeamAudit({ kind: 'memory.search' });
    assert.deepEqual(
      listed.map(({ detail }) => detail['query']),
      ['stored-query', undefined],
    );
    assert.doesNotMatch(text, /secret|stored-query/);
  });
});
