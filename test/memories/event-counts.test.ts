import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { sendCapture, sendClaim, stageCapture } from '../support/captures.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { complete, type GivenItem, lend } from '../support/consolidation.ts';
import { addMemory, decide } from '../support/memories.ts';
import { addSource, removeSource } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();
const ITEM = { title: 'A title', content: 'A fact of one chunk.' };

/** The last events of a Company, oldest first, as far as they tell of captures that lie in several layers. */
async function lastEvents(company: SignedIn, count: number) {
  const listed = await company.all.listTeamAudit();
  return listed
    .slice(0, count)
    .map(({ kind, subjectId, clientId, detail }) => ({ kind, subjectId, clientId, detail }))
    .reverse();
}

test('a claim and a discard across layers write one event for each layer, with its captures', async () => {
  const company = await service.company();
  const clients = [await addClient(service, company), await addClient(service, company)];
  const { batchId, captures } = await lend(company, [null, ...clients, null]);
  const idsOf = (clientId: string | null) =>
    captures.filter((capture) => capture.clientId === clientId).map(({ id }) => id);
  const expected = (kind: string) =>
    [null, ...clients].map((clientId) => ({
      kind,
      subjectId: batchId,
      clientId,
      detail: { captureIds: idsOf(clientId) },
    }));
  assert.deepEqual(await lastEvents(company, 3), expected('memory.claim'));
  const item = { captureIds: captures.map(({ id }) => id), action: 'discard' } as const;
  assert.equal((await complete(company, batchId, [item])).statusCode, 200);
  assert.deepEqual(await lastEvents(company, 3), expected('memory.discard'));

  const url = `/v1/team/clients/${clients[0]}`;
  assert.equal((await company.send('DELETE', url)).statusCode, 204);
  const listed = await company.all.listTeamAudit({ subjectId: batchId });
  const [hidden] = idsOf(clients[0] ?? null);
  assert.ok(
    hidden !== undefined && !JSON.stringify(listed).includes(hidden),
    'that of an archived client is out of sight',
  );
  assert.equal(listed.length, 4);
});

test('a complete writes one event for each item, in the order of the items', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company, [null, null, null]);
  const actions = ['publish', 'discard', 'review', 'publish'] as const;
  const items = actions.map((action, index) => ({
    captureIds: captureIds.slice(index % 2, 1 + (index % 2)),
    action,
    ...ITEM,
  }));
  const { events } = await recordedBy(service, company, () => complete(company, batchId, items));
  assert.deepEqual(
    events.map(({ kind, detail }) => [kind, detail['captureIds']]),
    items.map(({ action, captureIds: own }) => [`memory.${action}`, own]),
  );
});

describe('requests that write no audit event', () => {
  const RECORD_NOTHING: Record<string, (company: SignedIn) => Promise<() => PromiseLike<unknown>>> = {
    'a capture that was staged before': async (company) => {
      await stageCapture(company, { sequence: 1 });
      return () => sendCapture(company, { sequence: 1 });
    },
    'a claim that returns nothing': async (company) => () => sendClaim(company),
    'a repeated complete': async (company) => {
      const { batchId, captureIds } = await lend(company);
      const items = [{ captureIds, action: 'publish', ...ITEM }] as GivenItem[];
      await complete(company, batchId, items);
      return () => complete(company, batchId, items);
    },
    'a complete with a refused item': async (company) => {
      const { batchId, captureIds } = await lend(company);
      const items = [
        { captureIds, action: 'publish', ...ITEM },
        { captureIds, action: 'publish', ...ITEM, supersedes: batchId },
      ] as GivenItem[];
      return () => complete(company, batchId, items);
    },
    'a decision that the state of the memory does not allow': async (company) => {
      const { id } = await addMemory(company, 'discarded');
      return () => decide(company, { action: 'publish', memoryId: id });
    },
    'a decision with another version': async (company) => {
      const { id } = await addMemory(company, 'published');
      return () => decide(company, { action: 'delete', memoryId: id, version: 2 });
    },
    'archiving a source that is archived already': async (company) => {
      const { id } = await addSource(company);
      await removeSource(company, id);
      return () => removeSource(company, id);
    },
    'archiving the source of a memory': async (company) => {
      const { sourceId } = await addMemory(company, 'published');
      return () => removeSource(company, sourceId ?? '');
    },
  };
  for (const [what, prepare] of Object.entries(RECORD_NOTHING)) {
    test(`${what} writes no event`, async () => {
      const company = await service.company();
      const act = await prepare(company);
      const { events } = await recordedBy(service, company, async () => act());
      assert.deepEqual(events, []);
    });
  }

  test('reading memories, sources and the audit writes no event', async () => {
    const company = await service.company();
    const { sourceId } = await addMemory(company, 'published');
    await addMemory(company, 'review');
    await recordsNothing(service, company, async () => {
      for (const path of ['memories', 'sources', `sources/${sourceId}`, 'audit', 'status']) {
        assert.equal((await company.send('GET', `/v1/memory/${path}`)).statusCode, 200, path);
      }
    });
  });
});

test('each accepted decision of a list writes one event, and a refused one writes none', async () => {
  const company = await service.company();
  const [first, gone, last] = [
    await addMemory(company, 'review'),
    await addMemory(company, 'archived'),
    await addMemory(company, 'published'),
  ];
  const decisions = [
    { action: 'discard', memoryId: first.id },
    { action: 'update', memoryId: gone.id, title: 'x' },
    { action: 'delete', memoryId: last.id },
  ];
  const { events } = await recordedBy(service, company, () => decide(company, { decisions }));
  assert.deepEqual(columns(events, 'kind', 'subjectId'), [
    ['memory.discard', first.id],
    ['memory.delete', last.id],
  ]);
});
