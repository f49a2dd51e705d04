import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { addMemory, decide, searchRows } from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, listSources, readSource, removeSource } from '../support/source-library.ts';

const service = await openTestApp();
const ROUNDS = 6;

/** The chunks of a text: two, or so many that they are written before the source is shown. */
const edition = (name: string, round: number) =>
  Array.from({ length: round % 2 === 0 ? 2 : 101 }, (_, n) => ({ text: `${name} ${n}` }));

/** Asserts that active sources have all their chunks, and that other sources have none. */
async function assertWhole(company: SignedIn): Promise<void> {
  const sources = await listSources(company);
  let chunks = 0;
  for (const { id, state, chunks: count } of sources) {
    const read = await readSource(company, id);
    assert.equal(read.chunks.length, count);
    if (state === 'archived') assert.equal(count, 0);
    chunks += count;
  }
  const rows = await searchRows(service, company);
  assert.deepEqual(rows, { chunks, terms: chunks, vectors: 0, pending: chunks });
}

describe('requests that race for one source', () => {
  test('six concurrent requests to archive a source get one 204 and five 409', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await addSource(company);
      const { events } = await recordedBy(service, company, async () => {
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, n) => removeSource(via(n % 2 === 0 ? service : second, company), id)),
        );
        const refused = Array.from({ length: 5 }, () => '409 conflict');
        assert.deepEqual(answers.map(outcome).sort(), ['204', ...refused]);
      });
      assert.deepEqual(columns(events, 'kind', 'subjectId'), [['memory.archive', id]]);
    }
    await assertWhole(company);
  });

  for (const [what, named] of [
    ['replacing its text', { externalId: 'doc' }],
    ['ingesting its text again', {}],
  ] as const) {
    test(`archiving a source and ${what} take effect one after the other`, async (t) => {
      const second = await openSecondApp(t, service);
      for (let round = 0; round < ROUNDS; round++) {
        const company = await service.company();
        const chunks = edition('old', round);
        const old = await addSource(company, { ...named, chunks });
        const next = 'externalId' in named ? edition('new', round) : chunks;
        const [removed, again] = await Promise.all([
          removeSource(company, old.id),
          via(second, company).ask.ingestSource({ title: 'x', ...named, chunks: next }),
        ]);
        assert.equal(outcome(removed), '204');
        assert.equal((await readSource(company, old.id)).state, 'archived');
        const { source } = again.json();
        const active = (await listSources(company, '?state=active')).map(({ id }) => id);
        // If it was ingested first, that was archived too; if it was archived first, a new source was made.
        if (outcome(again) === '200') assert.deepEqual([source.id, active], [old.id, []]);
        else {
          assert.deepEqual([outcome(again), active], ['201', [source.id]]);
          assert.notEqual(source.id, old.id);
        }
        await assertWhole(company);
      }
    });
  }

  test('archiving the source of a memory returns 409 while the memory is being deleted', async (t) => {
    const second = await openSecondApp(t, service);
    const company = await service.company();
    for (let round = 0; round < ROUNDS / 2; round++) {
      const { id, sourceId } = await addMemory(company, 'published');
      const [removed, deleted] = await Promise.all([
        removeSource(via(second, company), sourceId!),
        decide(company, { action: 'delete', memoryId: id }),
      ]);
      assert.deepEqual([outcome(removed), outcome(deleted)], ['409 conflict', '200']);
    }
    await assertWhole(company);
  });
});
