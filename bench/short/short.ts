import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { databaseUrl } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { LANGUAGES, readRetrievalSet, retrievalFolder } from '../../test/support/retrieval-set.ts';
import { ROOT } from '../../test/support/root.ts';
import { describeDatabase, describeRun, SearchReport } from '../search/report.ts';
import { openNaturalText } from '../support/natural-text.ts';
import { measureBytes } from './bytes.ts';
import { type DatabasePlace, openSearchCheckout, type SearchCheckout } from './checkout.ts';
import { measureShort } from './measure.ts';
import { drawQueries } from './queries.ts';

const SIZES = [600, 9000, 100_000];
const HELP = `What searches of one to three words cost, next to those of ordinary length, in CPU time of the database;
and what the words of a passage take on the disk. Linux only.

Usage: npm run bench:short -- [options]

  --passages 600,9000  passages of the Teams; without it: ${SIZES.join(', ')}
  --before FOLDER      another checkout, which is measured in turns with this one
  --rounds 5           rounds of every kind of query; without it: 5
  --queries 40         queries of every kind; without it: 40
  --parts cpu          cpu, bytes or both; without it: cpu,bytes
  --vectors            search by meaning too; without it: by keyword only
  --embedded           measure the embedded database, not PostgreSQL

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server of this machine on which databases can be made.`;

/** Where a checkout has its database, until the end of the run. */
interface OwnPlace {
  place: DatabasePlace;
  remove(): Promise<unknown>;
}

async function makePlace(isEmbedded: boolean): Promise<OwnPlace> {
  if (isEmbedded) {
    const dataDir = await mkdtemp(join(tmpdir(), 'bench-short-'));
    return { place: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
  }
  if (databaseUrl === undefined) throw new Error('MEMORY_TEST_DATABASE_URL: expected a server (see --help)');
  const own = await createEmptyDatabase(databaseUrl);
  return { place: { url: own.url }, remove: () => own.drop() };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      passages: { type: 'string', default: SIZES.join(',') },
      before: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      queries: { type: 'string', default: '40' },
      parts: { type: 'string', default: 'cpu,bytes' },
      vectors: { type: 'boolean', default: false },
      embedded: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const folder = retrievalFolder();
  if (folder === null)
    throw new Error('MEMORY_TEST_XQUAD_R: expected the folder of the questions (see --help)');
  const [rounds, each] = [Number(values.rounds), Number(values.queries)];
  const sizes = values.passages.split(',').map(Number);
  if (![rounds, each, ...sizes].every(Number.isInteger)) throw new Error('expected numbers (see --help)');
  const parts = values.parts.split(',');
  const sets = await Promise.all(LANGUAGES.map((language) => readRetrievalSet(folder, language)));

  const report = new SearchReport();
  report.print(await describeRun());
  const folders = values.before === undefined ? [] : [['before', values.before] as const];
  const places: OwnPlace[] = [];
  const checkouts: SearchCheckout[] = [];
  try {
    for (const [name, root] of [...folders, ['now', ROOT] as const]) {
      const made = await makePlace(values.embedded);
      places.push(made);
      checkouts.push(await openSearchCheckout(name, root, made.place, folder));
    }
    const [first] = checkouts;
    if (first !== undefined) report.print(await describeDatabase(first.database));
    if (parts.includes('bytes')) await measureBytes(checkouts, sets, report);
    for (const size of parts.includes('cpu') ? sizes : []) {
      const began = performance.now();
      // At the same time: while one is stored, the terms of the other are made.
      const filled = await Promise.all(
        checkouts.map(async (checkout) => ({ checkout, team: await checkout.fill(size) })),
      );
      for (const checkout of checkouts) await checkout.maintain('vacuum analyze');
      report.print(`\n${size} passages stored in ${((performance.now() - began) / 1000).toFixed(0)} s`);
      const drawn = drawQueries(await openNaturalText(folder, size), size, sets, each);
      await measureShort(filled, drawn, { rounds, hasVectors: values.vectors }, report);
    }
  } finally {
    for (const checkout of checkouts) await checkout.close();
    for (const place of places) await place.remove();
  }
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
