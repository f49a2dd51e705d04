import type { ConfinementName } from '../../../worker/sandbox/confinement.ts';
import { openReadingPool } from '../../../worker/sandbox/reading-pool.ts';
import { readingOf, taskOf, wholeDocument } from './held-document.ts';

/*
 * A parent of a reading process, for tests that end or signal it: reads the text of its argument by the extractors
 * that misbehave, and prints that it is told how far that is, and what comes of it. A second argument names the only
 * confinement to try.
 */
const only = process.argv[3] as ConfinementName | undefined;
// As a worker does that still waits for what runs. Before any process is there, which tells the test to send it.
process.on('SIGINT', () => process.stdout.write('interrupted\n'));
const pool = openReadingPool(
  { seconds: 60, megabytes: 512 },
  {
    extractors: new URL('../../support/misbehaving-extractors.ts', import.meta.url),
    ...(only === undefined ? {} : { confinements: [only] }),
  },
);
const report = () => void process.stdout.write('told\n');
const { chunks } = await pool.read(taskOf(process.argv[2] ?? ''), readingOf({ report }), wholeDocument);
process.stdout.write(`${chunks[0]?.text}\n`);
await pool.close();
