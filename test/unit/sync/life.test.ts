import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openFolders } from './sync-folders.ts';
import { FOLDERS, life, live } from './sync-life.ts';
import { openMemoryWorkspace } from './sync-service.ts';

/** For more runs: SYNC_LIFE_RUNS=<runs> node --test test/unit/sync/life.test.ts */
const RUNS = Number(process.env['SYNC_LIFE_RUNS'] ?? 30);
const RIGHTS = { scopes: ['team', 'clients/x'] };

const newFolder = await openFolders();

test('several folders become equal after any sequence of changes, and no content is lost', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (steps) => {
      const workspace = openMemoryWorkspace();
      const folders = await Promise.all(Array.from({ length: FOLDERS }, (_, n) => newFolder(`Person ${n}`)));
      await live(
        {
          folders,
          clientId: 'x',
          service: (before, after) => workspace.as(RIGHTS, before, after),
        },
        steps,
      );
      assert.deepEqual(
        Object.entries(workspace.live()).sort(),
        Object.entries((await folders[0]?.tree()) ?? {}).sort(),
      );
    }),
    // Otherwise half of the runs would use only the smallest and the largest values.
    { numRuns: RUNS, unbiased: true },
  );
});
