import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import { searchDated } from './dated-sources.ts';

const service = await openTestApp();
const { database } = service;
const today = () => new Date().toISOString().slice(0, 10);

/** The sources that are found by a day, and whether the terms of all are up to date. */
async function foundBy(company: SignedIn, query: string): Promise<string[]> {
  const outdated = await database.query(
    `select from memory.source where team_id = $1 and state = 'active' and terms_version = 0`,
    [company.teamId],
  );
  assert.equal(outdated.length, 0, 'sources with outdated terms');
  return column(await searchDated(company, { query }), 'source_id');
}

describe('the day by which a passage is found', () => {
  test('is that on which it happened, in UTC, and follows each change of it', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { text: 'The walrus.', occurredAt: '2019-05-06' });
    assert.deepEqual(await foundBy(company, '2019-05-06'), [id]);
    assert.deepEqual(await foundBy(company, today()), []);
    for (const [occurredAt, day] of [
      ['2019-12-31T23:30:00-01:00', '2020-01-01'],
      // Another time of the same day.
      ['2020-01-01T08:00:00Z', '2020-01-01'],
      ['2020-01-02', '2020-01-02'],
      [null, today()],
    ] as const) {
      await company.api.changeSource(id, { occurredAt });
      assert.deepEqual(await foundBy(company, day), [id], day);
      assert.deepEqual(await foundBy(company, '2019-05-06'), []);
    }
  });

  test('is that of a memory, published at once or from review, and follows its update', async () => {
    const company = await service.company();
    const direct = await addMemory(company, 'published', { occurredAt: '2019-05-06' });
    assert.deepEqual(await foundBy(company, '2019-05-06'), [direct.sourceId]);
    const { id: memoryId } = await addMemory(company, 'review', { occurredAt: '1987-10-11' });
    const { sourceId } = await decided(company, { action: 'publish', memoryId });
    assert.deepEqual(await foundBy(company, '1987-10-11'), [sourceId]);
    for (const [change, day] of [
      [{ occurredAt: '2020-01-03T23:59:59Z' }, '2020-01-03'],
      [{ content: 'It rains.' }, '2020-01-03'],
      [{ content: 'It snows.', occurredAt: '2020-01-04' }, '2020-01-04'],
      [{ title: 'Weather' }, '2020-01-04'],
    ] as const) {
      await decided(company, { action: 'update', memoryId, ...change });
      assert.deepEqual(await foundBy(company, day), [sourceId], JSON.stringify(change));
    }
    assert.deepEqual(await foundBy(company, '1987-10-11'), []);
  });
});
