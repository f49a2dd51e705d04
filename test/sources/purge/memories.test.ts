import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MemoryState } from '../../../shared/memory-states.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import type { SignedIn } from '../../support/app.ts';
import { columns } from '../../support/columns.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { claimAll, completed, lend } from '../../support/consolidation.ts';
import { addMemories, decided, searchRows } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { outcome } from '../../support/sign-in.ts';

import { addClient, along, type Caller, CLAIM, readStatus } from '../../support/team.ts';
import { tablesWith, tracesOf } from '../../support/traces.ts';

/** Every row of every table is searched, so the database has only what these tests write. */
const service = await openOwnTestApp();
const { database } = service;

const purge = (caller: Caller, id: string) => caller.ask.purgeMemory(id);
const newWord = () => `quokka${crypto.randomUUID().replaceAll('-', '')}`;
const REPEAT = () => ({ 'idempotency-key': crypto.randomUUID() });

/** Makes a memory that has the word in every text, by requests whose answers are stored. */
async function wordMemory(company: SignedIn, state: MemoryState, word: string) {
  const metadata = { [word]: word };
  await company.api.stageCapture({ summary: word, sessionId: word, metadata, sequence: 1 }, REPEAT());
  const { batchId, captureIds } = await claimAll(company);
  const inReview = state === 'review' || state === 'discarded';
  const text = { title: word, content: `${word} was seen`, tags: [word.slice(0, 40)], metadata };
  const action = inReview ? 'review' : 'publish';
  const item = { captureIds, action, ...text, embedding: along(2), ...CLAIM };
  const { results } = await company.api.completeCaptures({ batchId, items: [item] }, REPEAT());
  const id = results[0]!.memoryId!;
  if (!inReview) await decided(company, { action: 'update', memoryId: id, content: `${word} was heard` });
  if (state === 'discarded') await decided(company, { action: 'discard', memoryId: id });
  if (state === 'archived') await decided(company, { action: 'delete', memoryId: id });
  return { id, captureId: captureIds[0]! };
}

describe('a purged memory', () => {
  for (const state of ['review', 'published', 'discarded', 'archived'] as const) {
    test(`leaves no trace if it is ${state}, except in audit events`, async () => {
      const company = await service.company();
      const word = newWord();
      const { id, captureId } = await wordMemory(company, state, word);
      const [row] = await database.query<{ sourceId: string | null; version: number }>(
        'select source_id as "sourceId", version from memory.memory_item where id = $1',
        [id],
      );
      assert.ok(row);
      const tables = await tablesWith(service, word);
      for (const table of ['memory.memory_item', 'memory.capture', 'memory.idempotency_key']) {
        assert.ok(tables.includes(table), table);
      }
      const { events } = await recordedBy(service, company, () => company.api.purgeMemory(id));
      const detail = { ...row, captureIds: [captureId] };
      assert.deepEqual(columns(events, 'kind', 'subjectId', 'detail'), [['memory.purge', id, detail]]);
      assert.deepEqual(await tracesOf(service, word), []);
      for (const gone of [id, ...(row.sourceId === null ? [] : [row.sourceId])]) {
        assert.deepEqual(await tablesWith(service, gone), ['memory.audit_event']);
      }
      // A batch is deleted a day after its end. Until then, the same completion can be sent again.
      const kept = ['memory.audit_event', 'memory.consolidation_batch'];
      assert.deepEqual(await tablesWith(service, captureId), kept);
      assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
      const { memories, captures, sources } = await readStatus(company);
      assert.deepEqual(memories, { review: 0, published: 0, discarded: 0, archived: 0 });
      assert.deepEqual([captures.completed, sources.active, sources.archived], [0, 0, 0]);
      assert.equal(outcome(await purge(company, id)), '404 not_found');
    });
  }

  test('of two requests to purge it at the same time, one returns 204 and the other 404', async () => {
    const company = await service.company();
    const memories = await addMemories(company, 'published', [{}, {}, {}]);
    for (const { id } of memories) {
      const answers = await Promise.all([purge(company, id), purge(company, id)]);
      assert.deepEqual(answers.map(outcome).sort(), ['204', '404 not_found']);
    }
  });
});

describe('an agent token that is limited to clients', () => {
  test('cannot purge a memory that was made of captures of another client, and does not list the event', async () => {
    const company = await service.company();
    const [own, other] = [await addClient(service, company), await addClient(service, company)];
    const agent = await createAgent(service, company, company, { clientIds: [own] });
    const { batchId, captureIds } = await lend(company, [own, other]);
    const [mixed, ofOwn] = await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'A', content: 'A fact.', scope: { clientId: own } },
      { captureIds: [captureIds[0]!], action: 'publish', title: 'B', content: 'Another.' },
    ]);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await purge(agent, mixed?.memoryId ?? '')), '403 forbidden');
    });
    assert.equal(outcome(await purge(agent, ofOwn?.memoryId ?? '')), '204');
    assert.equal(outcome(await purge(company, mixed?.memoryId ?? '')), '204');
    const listed = (caller: Caller) => caller.all.listTeamAudit({ kind: 'memory.purge' });
    assert.deepEqual((await listed(company)).map(({ subjectId }) => subjectId).sort(), [
      ...[mixed?.memoryId, ofOwn?.memoryId].sort(),
    ]);
    assert.deepEqual(columns(await listed(agent), 'subjectId', 'clientId'), [[ofOwn?.memoryId, own]]);
    assert.equal((await company.ask.getStatus()).statusCode, 200);
  });
});
