import { parseArgs } from 'node:util';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { buildTestApp } from '../../test/support/app.ts';
import { databaseUrl, openPrepared } from '../../test/support/needs/database.ts';
import { createPreparedDatabase } from '../../test/support/needs/own-database.ts';
import { describeDatabase, describeRun, SearchReport } from '../search/report.ts';
import { faultsOfPairs, openFormFinder } from './check-pairs.ts';
import { HELD_LANGUAGES, PAIR_KINDS, PAIR_LANGUAGES, readPairs, SHOWN_LANGUAGES } from './languages.ts';
import { makeOtherPassages, readOtherPassages } from './other-passages.ts';
import { type Answer, addPassages, askPairs, meanOf, sharesOf, storePairs } from './team-of-pairs.ts';

const HELP = `How many queries of one to three words find the only passage that they mean among the first
three hits, by keyword, in ${HELD_LANGUAGES.length} languages. ${SHOWN_LANGUAGES.length} more are shown only.

Usage: npm run bench:pairs -- [options]

  --passages 0,4000   passages of the Team, one measure after the other; 0: only the texts of the
                      pairs. Without it: 0, 4000
  --others FILE       other passages, a line {"language": "en", "text": "..."} each. None has a word
                      of a query or a form of it. Without it they are made
  --list              print each query that fails, and what came first

MEMORY_TEST_DATABASE_URL names a PostgreSQL server on which databases can be made; without it the
embedded database is measured.`;

/** In a Team of up to so many passages, what the mean and each language must reach, in percent. */
const TARGETS = [
  { passages: 1000, mean: 98, language: 90 },
  { passages: 4000, mean: 94, language: 85 },
  { passages: 30_000, mean: 90, language: 80 },
];

interface Wanted {
  sizes: readonly number[];
  others: string | undefined;
  isListed: boolean;
}

/** What the command line asks for, or null for the help. */
function readCommandLine(): Wanted | null {
  const { values } = parseArgs({
    options: {
      passages: { type: 'string', default: '0,4000' },
      others: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const sizes = values.passages.split(',').map(Number);
  if (!sizes.every((size, index) => Number.isInteger(size) && size >= (sizes[index - 1] ?? 0))) {
    throw new Error('--passages: expected rising numbers');
  }
  return { sizes, others: values.others, isListed: values.list };
}

async function openService() {
  if (databaseUrl === undefined) {
    const service = await buildTestApp(await openPrepared(), undefined);
    return { service, close: () => service.close() };
  }
  const own = await createPreparedDatabase(databaseUrl);
  const service = await buildTestApp(openPostgres(own.url, createLogger('fatal', 'bench')), own.url);
  return { service, close: () => service.close().then(() => own.drop()) };
}

function reportAnswers(
  report: SearchReport,
  size: number,
  answers: readonly Answer[],
  isListed: boolean,
): void {
  const shares = sharesOf(answers);
  const target = TARGETS.find(({ passages }) => size <= passages);
  report.print(`\n${size} passages`.padEnd(31) + 'among three       first'.padStart(24));
  for (const [language, { found, first }] of shares) {
    const isHeld = HELD_LANGUAGES.some((held) => held === language);
    const remark =
      isHeld && target !== undefined
        ? report.holdAtLeast(`${language}, ${size} passages`, found, target.language)
        : 'not held';
    report.row(language, [found.toFixed(1), first.toFixed(1)], remark);
  }
  const mean = meanOf(shares);
  const remark =
    target === undefined ? 'not held' : report.holdAtLeast(`mean, ${size} passages`, mean.found, target.mean);
  report.row(`mean of ${HELD_LANGUAGES.length}`, [mean.found.toFixed(1), mean.first.toFixed(1)], remark);
  for (const kind of PAIR_KINDS) {
    const own = answers.filter(({ pair }) => pair.kind === kind);
    const found = own.filter(({ place }) => place !== null).length;
    report.row(`  ${kind}`, [((100 * found) / own.length).toFixed(1)], `${found} of ${own.length}`);
  }
  if (!isListed) return;
  for (const { pair, first } of answers.filter(({ place }) => place === null)) {
    const came = first === null ? 'nothing' : JSON.stringify(first.slice(0, 100));
    report.print(
      `${pair.language} ${pair.kind}: ${pair.query} -> ${JSON.stringify(pair.text)}; first: ${came}`,
    );
  }
}

async function main(wanted: Wanted): Promise<void> {
  const pairs = readPairs();
  const faults = faultsOfPairs(pairs);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const findForms = openFormFinder(pairs);
  const most = Math.max(...wanted.sizes) - pairs.length;
  const others =
    wanted.others === undefined
      ? makeOtherPassages(most, findForms)
      : readOtherPassages(wanted.others, findForms);
  if (others.length < most) throw new Error(`--others: ${others.length} passages, where ${most} are needed`);

  const report = new SearchReport();
  report.print(await describeRun());
  const { service, close } = await openService();
  try {
    report.print(await describeDatabase(service.database));
    report.print(`${pairs.length} pairs in ${PAIR_LANGUAGES.length} languages`);
    const team = await storePairs(service, await service.company(), pairs);
    let stored = 0;
    for (const size of wanted.sizes) {
      const added = others.slice(stored, Math.max(stored, size - pairs.length));
      if (added.length > 0)
        await addPassages(
          team,
          added.map(({ text }) => text),
        );
      stored += added.length;
      reportAnswers(report, pairs.length + stored, await askPairs(team), wanted.isListed);
    }
  } finally {
    await close();
  }
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

try {
  const wanted = readCommandLine();
  if (wanted === null) process.stdout.write(`${HELP}\n`);
  else await main(wanted);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
