import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SourceBatch, SourceBatchChange } from '../../../shared/schemas/sources.ts';
import { openTestApp } from '../../support/app.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { changed, shown, takenBack } from './batches.ts';

const service = await openTestApp();

const COUNT = 4;
const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 });
const change = fc.record(
  {
    tags: fc
      .tuple(tags, tags)
      .map(([add, remove]) => ({ add, remove: remove.filter((tag) => !add.includes(tag)) })),
    /** -1: the Team layer; or one of two clients. */
    client: fc.integer({ min: -1, max: 1 }),
    expiresAt: fc.constantFrom(null, '2090-01-01T00:00:00.000Z', '2091-01-01T00:00:00.000Z'),
    state: fc.constantFrom('active' as const, 'archived' as const),
  },
  { requiredKeys: [] },
);
const step = fc.record({ which: fc.uniqueArray(fc.nat(COUNT - 1), { minLength: 1 }), change });

test('the undo of a random batch restores each source as it was before it, except those that changed since', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 2 }), step, step, async (earlier, batch, since) => {
      const company = await service.company();
      const clients = [await addClient(service, company), await addClient(service, company)];
      const ids: string[] = [];
      for (let n = 0; n < COUNT; n += 1) ids.push((await addSource(company, { tags: ['a'] })).id);
      const bodyOf = ({ which, change: { client, ...rest } }: typeof since): SourceBatch | null => {
        const { tags: given, ...others } = rest;
        const body: SourceBatchChange = {
          ...others,
          ...(given === undefined || given.add.length + given.remove.length === 0 ? {} : { tags: given }),
          ...(client === undefined ? {} : { clientId: clients[client] ?? null }),
        };
        return Object.keys(body).length === 0 ? null : { ids: which.map((n) => ids[n]!), change: body };
      };
      for (const body of earlier.map(bodyOf)) if (body !== null) await changed(company, body);
      const before = await shown(company, ids);
      const body = bodyOf(batch);
      const undo = body === null ? [] : (await changed(company, body)).undo;
      const other = bodyOf(since);
      const { results } = other === null ? { results: [] } : await changed(company, other);
      const left = new Set(results.filter((result) => result.changed).map(({ id }) => id));
      const after = await shown(company, ids);
      await takenBack(company, undo);
      const expected = ids.map((id, n) => (left.has(id) ? after[n] : before[n]));
      assert.deepEqual(await shown(company, ids), expected);
    }),
    { numRuns: 12 },
  );
});
