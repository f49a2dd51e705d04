import { buildTestApp } from '../../test/support/app.ts';
import { runBench } from '../support/bench.ts';
import { describeDatabase, places, withDatabase } from '../support/databases.ts';
import type { Report } from '../support/report.ts';
import { faultsOfPairs, openFormFinder } from './check-pairs.ts';
import { HELD_LANGUAGES, PAIR_KINDS, PAIR_LANGUAGES, readPairs, SHOWN_LANGUAGES } from './languages.ts';
import { makeOtherPassages, readOtherPassages } from './other-passages.ts';
import { type Answer, addPassages, askPairs, meanOf, sharesOf, storePairs } from './team-of-pairs.ts';

/** In a Team of up to so many passages, what the mean and each language must reach, in percent. */
const TARGETS = [
  { passages: 1000, mean: 98, language: 90 },
  { passages: 4000, mean: 94, language: 85 },
  { passages: 30_000, mean: 90, language: 80 },
];

function reportAnswers(report: Report, size: number, answers: readonly Answer[], isListed: boolean): void {
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

await runBench(
  {
    name: 'bench:pairs',
    about: `How many queries of one to three words find the only passage that they mean among the first three hits, by keyword, in
${HELD_LANGUAGES.length} languages. ${SHOWN_LANGUAGES.length} more are shown only.`,
    options: {
      passages: [
        [0, 4000],
        'rising: passages of the Team, one measure after the other; 0: only the texts of the pairs',
      ],
      others: [
        '',
        'a file of passages, a line {"language": "en", "text": "..."} each; without it they are made',
      ],
      list: [false, 'print each query that fails, and what came first'],
    },
    needs: ['both'],
  },
  async ({ passages, others: file, list }, report) => {
    const pairs = readPairs();
    const faults = faultsOfPairs(pairs);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    const findForms = openFormFinder(pairs);
    const most = Math.max(...passages) - pairs.length;
    const others = file === '' ? makeOtherPassages(most, findForms) : readOtherPassages(file, findForms);
    if (others.length < most)
      throw new Error(`--others: ${others.length} passages, where ${most} are needed`);
    await withDatabase(places(true)[0]!, async ({ database, url }) => {
      const service = await buildTestApp(database, url);
      report.print(await describeDatabase(database));
      report.print(`${pairs.length} pairs in ${PAIR_LANGUAGES.length} languages`);
      const team = await storePairs(service, await service.company(), pairs);
      let stored = 0;
      for (const size of passages) {
        const added = others.slice(stored, Math.max(stored, size - pairs.length)).map(({ text }) => text);
        if (added.length > 0) await addPassages(team, added);
        stored += added.length;
        reportAnswers(report, pairs.length + stored, await askPairs(team), list);
      }
      await service.app.close();
      await service.queue.stop();
    });
  },
);
