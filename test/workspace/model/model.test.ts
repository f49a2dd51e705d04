import { test } from 'node:test';
import fc from 'fast-check';
import { databaseUrl } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { assertAsTheModelSays, assertStored } from './comparison.ts';
import { play } from './play.ts';
import { type Step, steps } from './steps.ts';
import { openStage, openWorld } from './world.ts';

/*
 * Random sequences of requests to two API processes, compared with a simple model of the contract: after every step
 * the view of one caller must match the model.
 *
 * A failure prints the seed, the shortest failing sequence, and its requests and answers. To repeat it, or to run more
 * sequences than the suite does:
 *
 *   WORKSPACE_MODEL_SEED=<seed> WORKSPACE_MODEL_RUNS=<runs> node --test test/workspace/model/model.test.ts
 */
const SEED = process.env['WORKSPACE_MODEL_SEED'];
const RUNS = Number(process.env['WORKSPACE_MODEL_RUNS'] ?? (databaseUrl === undefined ? 4 : 6));
/** Limits the search for a shorter failing sequence, which has no limit of its own. */
const SHRINK_MS = 200_000;

// Pruning covers the files of all Teams.
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
    // Otherwise half of the sequences would contain only the smallest and the largest values.
    unbiased: true,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    interruptAfterTimeLimit: SHRINK_MS,
  });
});
