import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { claimAll, completed } from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';

const service = await openTestApp();

/** Searches for something, with the query text stored or not. */
const search = (caller: Caller, query: string, storeQueryText: boolean) =>
  caller.api.searchMemory({ query, scope: {}, queryEmbedding: along(3), ...CLAIM, storeQueryText });

/** A memory from its capture to its end, with every text that there can be marked by a word of its own. */
async function live(company: SignedIn) {
  const clientId = await addClient(service, company);
  const author = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const reviewer = await addPerson(service, company, { teamRole: 'admin' });
  const metadata = { 'secret-key': 'secret-metadata' };
  const told = { sessionId: 'secret-session', summary: 'secret-summary', metadata };
  await stageCapture(author, { ...told, sequence: 1, scope: { clientId } });
  const { batchId, captureIds } = await claimAll(author);
  const text = { title: 'secret-title', content: 'secret-content' };
  const [result] = await completed(author, batchId, [{ captureIds, action: 'review', ...text, metadata }]);
  const memoryId = result!.memoryId!;
  await decided(reviewer, { action: 'publish', memoryId, title: 'secret-title', content: 'secret-2' });
  await search(author, 'secret-query', false);
  await decided(reviewer, { action: 'update', memoryId, title: 'secret-3', content: 'secret-4' });
  await decided(company, { action: 'delete', memoryId });
  return { company, author, reviewer, clientId, captureIds, batchId, memoryId };
}

test('the first event of a memory leads to its captures and their claim', async () => {
  const { company, author, captureIds, batchId, memoryId } = await live(await service.company());
  const trail = (await company.all.listTeamAudit({ subjectId: memoryId })).toReversed();
  assert.deepEqual(
    trail.map(({ kind, layer }) => [kind, layer]),
    ['review', 'publish', 'update', 'delete'].map((kind) => [`memory.${kind}`, 'client']),
  );
  assert.equal(new Set(trail.slice(1).map(({ detail }) => detail['sourceId'])).size, 1, 'of one source');
  assert.deepEqual(trail[0]?.detail, { version: 1, batchId, captureIds });
  for (const [id, kind, detail] of [
    [batchId, 'memory.claim', { captureIds }],
    [captureIds[0]!, 'memory.capture', { sequence: 1 }],
  ] as const) {
    const [event, ...others] = await company.all.listTeamAudit({ subjectId: id });
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
  assert.deepEqual(await company.all.listTeamAudit({ subjectId: memoryId }), []);
  assert.equal((await company.all.listCompanyAudit({ subjectId: memoryId })).length, 4);
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
