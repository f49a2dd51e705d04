import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MemoryState } from '../../../shared/memory-states.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import type { SignedIn } from '../../support/app.ts';
import { sendCapture } from '../../support/captures.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { claimAll, complete, completed, lend, search } from '../../support/consolidation.ts';
import { addMemories, addMemory, decided, listMemories, searchRows } from '../../support/memories.ts';
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
async function wordMemory(
  company: SignedIn,
  state: MemoryState,
  word: string,
): Promise<{ id: string; captureId: string; batchId: string; items: object[] }> {
  const about = { summary: word, sessionId: word, metadata: { [word]: word } };
  const staged = await sendCapture(company, { ...about, sequence: 1 }, REPEAT());
  const captureId = staged.json<{ capture: { id: string } }>().capture.id;
  const { batchId } = await claimAll(company);
  const inReview = state === 'review' || state === 'discarded';
  const items = [
    {
      captureIds: [captureId],
      action: inReview ? ('review' as const) : ('publish' as const),
      title: word,
      content: `${word} was seen`,
      tags: [word.slice(0, 40)],
      metadata: { [word]: word },
      embedding: along(2),
      ...CLAIM,
    },
  ];
  const answer = await complete(company, batchId, items, REPEAT());
  const { memoryId: id } = answer.json<{ results: { memoryId: string }[] }>().results[0]!;
  if (!inReview) {
    await decided(company, { action: 'update', memoryId: id, content: `${word} was heard` });
  }
  if (state === 'discarded') await decided(company, { action: 'discard', memoryId: id });
  if (state === 'archived') await decided(company, { action: 'delete', memoryId: id });
  return { id, captureId, batchId, items };
}

const idsOf = async (caller: Caller) => (await listMemories(caller)).map(({ id }) => id);
const readOne = async (caller: Caller, id: string): Promise<Memory | undefined> =>
  (await listMemories(caller)).find((memory) => memory.id === id);

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
      const { events } = await recordedBy(service, company, async () => {
        assert.equal(outcome(await purge(company, id)), '204');
      });
      assert.deepEqual(
        events.map(({ kind, subjectType, subjectId, detail }) => ({ kind, subjectType, subjectId, detail })),
        [
          {
            kind: 'memory.purge',
            subjectType: 'memory',
            subjectId: id,
            detail: { version: row.version, sourceId: row.sourceId, captureIds: [captureId] },
          },
        ],
      );
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

  test('leaves captures that another memory was made of, until that is purged too', async () => {
    const company = await service.company();
    const word = newWord();
    await sendCapture(company, { summary: word });
    const { batchId, captureIds } = await claimAll(company);
    const item = { captureIds, action: 'publish' as const, title: 'A', content: 'A fact.' };
    const [one, other] = await completed(company, batchId, [
      item,
      { ...item, action: 'review', title: 'B', content: 'Another fact.' },
    ]);
    assert.ok(one?.memoryId && other?.memoryId);
    await purge(company, one.memoryId);
    assert.deepEqual(await tablesWith(service, word), ['memory.capture']);
    assert.deepEqual((await readOne(company, other.memoryId))?.captureIds, captureIds);
    await purge(company, other.memoryId);
    assert.deepEqual(await tracesOf(service, word), []);
  });

  test('is no longer named by the memories that superseded it, or that it superseded', async () => {
    const company = await service.company();
    const old = await addMemory(company, 'published', { content: 'The old fact.' });
    const middle = await addMemory(company, 'published', {
      content: 'The newer fact.',
      supersedes: old.id,
    });
    const last = await addMemory(company, 'published', {
      content: 'The newest fact.',
      supersedes: middle.id,
    });
    assert.equal(last.supersedes, middle.id);
    await purge(company, middle.id);
    assert.equal((await readOne(company, last.id))?.supersedes, null);
    const [row] = await database.query<{ by: string | null }>(
      'select superseded_by as by from memory.memory_item where id = $1',
      [old.id],
    );
    assert.equal(row?.by, null);
    assert.deepEqual(await tablesWith(service, middle.id), ['memory.audit_event']);
  });

  test('leaves other memories of its batch, and a repeated completion says that it is discarded', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const items = captureIds.map((id, n) => ({
      captureIds: [id],
      action: 'publish' as const,
      title: `Fact ${n}`,
      content: `It is fact ${n}.`,
    }));
    const [gone, left] = await completed(company, batchId, items);
    await purge(company, gone?.memoryId ?? '');
    assert.deepEqual(await idsOf(company), [left?.memoryId]);
    const again = await completed(company, batchId, items);
    assert.deepEqual(again, [
      { state: 'discarded', memoryId: null, similar: [] },
      { ...left, similar: [] },
    ]);
    assert.equal((await search(company, 'fact')).length, 1);
  });

  test('leaves no excerpt in the results of other consolidations', async () => {
    const company = await service.company();
    const word = newWord();
    const content = 'The crew of hall four closes valve nine when the pump loses pressure.';
    const first = await addMemory(company, 'published', {
      title: word,
      content: `${content} ${word}`,
    });
    const { batchId, captureIds } = await lend(company);
    const items = [{ captureIds, action: 'publish' as const, title: 'Again', content }];
    const answer = await complete(company, batchId, items, REPEAT());
    assert.match(answer.body, new RegExp(word));
    await purge(company, first.id);
    assert.deepEqual(await tracesOf(service, word), []);
    const [again] = await completed(company, batchId, items);
    assert.deepEqual(again?.similar, []);
    assert.equal(again?.state, 'published');
  });

  test('of two requests to purge it at the same time, one returns 204 and the other 404', async () => {
    const company = await service.company();
    const memories = await addMemories(company, 'published', [
      { content: 'One.' },
      { content: 'Two.' },
      { content: 'Three.' },
    ]);
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
    assert.deepEqual(
      (await listed(agent)).map(({ subjectId, clientId }) => [subjectId, clientId]),
      [[ofOwn?.memoryId, own]],
    );
    assert.equal((await company.ask.getStatus()).statusCode, 200);
  });
});
