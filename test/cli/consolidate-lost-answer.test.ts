import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stageCapture } from '../support/captures.ts';
import { type Fate, openPlaces } from './between.ts';
import { openCli } from './cli-person.ts';
import { captureStates, program } from './consolidation.ts';

const { base, owner } = await openCli();
const between = openPlaces();

const COMPLETE = '/v1/memory/consolidation/complete';

/** A program that prints a valid answer. */
const PRINTING = `const [{ id }] = JSON.parse(input.slice(input.indexOf('Captures:') + 9));
  console.log(JSON.stringify([{ captureIds: [id], action: 'publish', title: 'Setup', content: 'Wait.' }]));`;

describe('cli consolidate --with', () => {
  for (const fate of ['is lost', 'loses its answer'] as const) {
    test(`completes the batch once when the first completion ${fate}`, async () => {
      const fates: Fate[] = [fate];
      const { url } = await between(base, ({ path }) =>
        path === COMPLETE ? (fates.shift() ?? 'passes') : 'passes',
      );
      const cli = await owner(url);
      await stageCapture(cli.company);
      const command = await program(cli.person, PRINTING);
      const ended = await cli.person.run(['consolidate', '--with', command]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /cannot be reached.*, again in /);
      assert.deepEqual(await captureStates(cli.company), { staged: 0, claimed: 0, completed: 1 });
    });
  }
});
