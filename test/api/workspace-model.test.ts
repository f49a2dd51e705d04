import { test } from 'node:test';
import fc from 'fast-check';
import { databaseUrl } from '../support/database.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { assertAsTheModelSays, assertStored } from '../support/workspace-model/comparison.ts';
import { play } from '../support/workspace-model/play.ts';
import { type Step, steps } from '../support/workspace-model/steps.ts';
import { openStage, openWorld } from '../support/workspace-model/world.ts';

/*
 * Workspace files as a whole: whatever callers do one after the other, through either of two processes, the service
 * does what a plain model of the contract does. After every step what one of them sees is compared.
 *
 * A failure prints the seed, the steps it shrank to, and what was asked and answered. To do it again, and to look
 * longer than a run of the suite does:
 *
 *   WORKSPACE_MODEL_SEED=<seed> WORKSPACE_MODEL_RUNS=<runs> node --test test/api/workspace-model.test.ts
 */
const SEED = process.env['WORKSPACE_MODEL_SEED'];
const RUNS = Number(process.env['WORKSPACE_MODEL_RUNS'] ?? (databaseUrl === undefined ? 4 : 6));
/** For the search for a shorter sequence that fails too, which has no end of its own. */
const SHRINK_MS = 200_000;

// Pruning goes over the files of all Teams.
const stage = await openStage(await openOwnTestApp());

async function live(sequence: readonly Step[]): Promise<void> {
  const world = await openWorld(stage);
  try {
    for (const [turn, step] of sequence.entries()) {
      const done = world.told.length;
      await play(world, step);
      if (world.told.length > done) await assertAsTheModelSays(world, turn);
    }
    await assertStored(world);
  } catch (error) {
    const retelling = new Error();
    retelling.stack = [...world.told, String((error as Error).stack)].join('\n');
    throw retelling;
  }
}

test('the workspace matches the model after any sequence of pushes, pulls, grants and archivings', async () => {
  await fc.assert(fc.asyncProperty(steps, live), {
    numRuns: RUNS,
    // Else half of the sequences would be made of the smallest and the largest values, and little would come of them.
    unbiased: true,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    interruptAfterTimeLimit: SHRINK_MS,
  });
});
