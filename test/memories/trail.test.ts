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
const ROUTES = ['/v1/memory/audit', '/v1/company/audit'];

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
const oldestFirst = (listed: readonly AuditEvent[]) => listed.toReversed();

for (const url of ROUTES) {
  describe(`the events of a memory in GET ${url}`, () => {
    test('subjectId returns the events of a memory in order, with actor and layer', async () => {
      const { company, author, reviewer, clientId, memoryId } = await live(await service.company());
      const trail = oldestFirst(await events(company, `${url}?subjectId=${memoryId}`));
      assert.deepEqual(
        trail.map(({ kind, actorId, detail }) => [kind, actorId, detail['version']]),
        [
          ['memory.review', author.userId, 1],
          ['memory.publish', reviewer.userId, 2],
          ['memory.update', reviewer.userId, 3],
          ['memory.delete', company.ownerId, 4],
        ],
      );
      for (const event of trail) {
        const { subjectType, layer, clientId: where, teamId } = event;
        assert.deepEqual([subjectType, layer, where, teamId], ['memory', 'client', clientId, company.teamId]);
      }
      const sources = trail.slice(1).map(({ detail }) => detail['sourceId']);
      assert.equal(new Set(sources).size, 1, 'of one source');
    });

    test('the first event of a memory leads to its captures and their claim', async () => {
      const { company, author, captureId, batchId, memoryId } = await live(await service.company());
      const [first] = oldestFirst(await events(company, `${url}?subjectId=${memoryId}`));
      assert.deepEqual(first?.detail, { version: 1, batchId, captureIds: [captureId] });
      const [claim, ...moreClaims] = await events(company, `${url}?subjectId=${batchId}`);
      assert.deepEqual(
        [claim?.kind, claim?.actorId, claim?.detail, moreClaims],
        ['memory.claim', author.userId, { captureIds: [captureId] }, []],
      );
      const [capture, ...moreCaptures] = await events(company, `${url}?subjectId=${captureId}`);
      assert.deepEqual(
        [capture?.kind, capture?.actorId, capture?.detail, moreCaptures],
        ['memory.capture', author.userId, { sequence: 1 }, []],
      );
    });

    test('events of several memories are listed in order and can be filtered by kind', async () => {
      const { company, captureId, batchId, memoryId } = await live(await service.company());
      await live(company);
      const expected = [
        ['memory.capture', captureId],
        ['memory.claim', batchId],
        ['memory.review', memoryId],
        ['memory.publish', memoryId],
        ['memory.search', null],
        ['memory.update', memoryId],
        ['memory.delete', memoryId],
      ];
      const listed = oldestFirst(await events(company, url)).filter(({ kind }) => kind.startsWith('memory.'));
      assert.equal(listed.length, 2 * expected.length);
      assert.deepEqual(
        listed
          .slice(0, expected.length)
          .map(({ kind, subjectId }) => [kind, kind === 'memory.search' ? null : subjectId]),
        expected,
      );
      for (const [kind, subjectId] of expected) {
        const ofKind = await events(company, `${url}?kind=${kind}`);
        assert.deepEqual(column(ofKind, 'kind'), [kind, kind]);
        if (subjectId === null) continue;
        const both = await events(company, `${url}?kind=${kind}&subjectId=${subjectId}`);
        assert.deepEqual(both, [ofKind[1]]);
      }
      assert.deepEqual(await events(company, `${url}?kind=memory.claim&subjectId=${memoryId}`), []);
    });
  });
}

test('the Team audit hides the events of an archived client, and the Company audit shows them', async () => {
  const { company, clientId, memoryId } = await live(await service.company());
  const url = `/v1/team/clients/${clientId}`;
  assert.equal((await company.send('DELETE', url)).statusCode, 204);
  const trail = `audit?subjectId=${memoryId}`;
  assert.deepEqual(await events(company, `/v1/memory/${trail}`), []);
  assert.equal((await events(company, `/v1/company/${trail}`)).length, 4);
});

describe('contents of audit events', () => {
  test('events contain no text of a memory, a capture or a search, and no token', async () => {
    const company = await service.company();
    let life: Life | null = null;
    const { text, events: recorded } = await recordedBy(service, company, async () => {
      life = await live(company);
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
    const { author, reviewer } = life as unknown as Life;
    for (const { token } of [company, author, reviewer]) assert.ok(!text.includes(token));
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
