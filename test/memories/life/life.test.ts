import { test } from 'node:test';
import fc from 'fast-check';
import { databaseUrl } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { assertAsTheModelSays, assertSources, assertTrail } from './comparison.ts';
import { play } from './play.ts';
import { assertViews } from './searches.ts';
import { life, type Step } from './steps.ts';
import { openWorld, type World } from './world.ts';

/*
 * The life of memories as a whole: whatever callers do one after the other, the service does what a plain model of
 * the specification does. After every step all that can be seen is compared.
 *
 * A failure prints the seed, the steps it shrank to, and what was asked and answered. To do it again, and to look
 * longer than a run of the suite does:
 *
 *   MEMORY_LIFE_SEED=<seed> MEMORY_LIFE_RUNS=<runs> node --test test/memories/life/life.test.ts
 */
const SEED = process.env['MEMORY_LIFE_SEED'];
/** The embedded database takes twice as long for one. */
const RUNS = Number(process.env['MEMORY_LIFE_RUNS'] ?? (databaseUrl === undefined ? 12 : 20));
/** For the search for a shorter sequence that fails too, which has no end of its own. */
const SHRINK_MS = 200_000;

// The worker's upkeep goes over the data of all Teams.
const service = await openOwnTestApp();

/** What went wrong, under all that led to it. */
function retold({ told }: World, error: unknown): Error {
  const retelling = new Error();
  retelling.stack = [...told, String((error as Error).stack)].join('\n');
  return retelling;
}

async function live(steps: readonly Step[]): Promise<void> {
  const world = await openWorld(service);
  try {
    for (const [turn, step] of steps.entries()) {
      const done = world.told.length;
      await play(world, step);
      if (world.told.length > done) await assertAsTheModelSays(world, turn);
    }
    await assertViews(world);
    await assertSources(world);
    await assertTrail(world);
  } catch (error) {
    throw retold(world, error);
  }
}

test('random sequences of changes lead to the same state as the model', async () => {
  await fc.assert(fc.asyncProperty(life, live), {
    numRuns: RUNS,
    // Else half of the lives would be made of the smallest and the largest values, and little would come of them.
    unbiased: true,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    interruptAfterTimeLimit: SHRINK_MS,
  });
});
