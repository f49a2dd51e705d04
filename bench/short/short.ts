import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES, readRetrievalSet } from '../../test/support/retrieval-set.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { type Checkout, type DatabasePlace, type Prepared, withCheckouts } from '../support/checkout.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
import { describeDatabase, withServerDatabase } from '../support/databases.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { openNaturalText } from '../support/natural-text.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns, timed } from '../support/rounds.ts';
import { type DrawnQueries, drawQueries, ORDINARY } from './queries.ts';

/** What a search of ordinary length can take of before, and a short one of an ordinary one. */
const MAX_OF_BEFORE = 1.1;
const MAX_OF_ORDINARY = 1.5;
/** Rounds that are not counted: the connection then has its plans, and the caches have the Team. */
const WARM_UP_ROUNDS = 2;
/** How often the terms of each query are made, to measure that, and before. */
const TERM_RUNS = 20;

/** Searches of one kind in one checkout. */
interface Case {
  kind: string;
  checkout: Checkout;
  team: FilledTeam;
  queries: Prepared[];
  /** CPU time of making the terms of a query, which the API does, in ms. */
  terms: number;
}

function makeCase(
  checkout: Checkout,
  team: FilledTeam,
  [kind, texts]: [string, string[]],
  hasVectors: boolean,
): Case {
  const makeTerms = () => texts.map((text) => checkout.termsOf(team.scopes.whole, text));
  // Node compiles the code in the first runs.
  for (let run = 0; run < TERM_RUNS; run += 1) makeTerms();
  const used = startCpuTimer([process.pid]);
  for (let run = 0; run < TERM_RUNS; run += 1) makeTerms();
  const terms = used() / texts.length / TERM_RUNS;
  const queries = makeTerms().map((of) => ({
    terms: of,
    embedding: hasVectors ? team.vectors.vector() : null,
  }));
  return { kind, checkout, team, queries, terms };
}

/** The CPU time of the database for one search, in ms, and how many searches had a hit. */
async function measureCase({ checkout, team, queries }: Case) {
  const cpu = startCpuTimer(await backendsOf(checkout.searched));
  let found = 0;
  for (const query of queries) found += Math.min(1, await checkout.search(team.scopes.whole, query));
  return { cpu: cpu() / queries.length, found };
}

/** Measures the CPU time of searches, kind by kind, the checkouts in turns. The last one is held to the targets. */
async function measureCpu(
  filled: readonly (readonly [Checkout, FilledTeam])[],
  drawn: DrawnQueries,
  { rounds, vectors }: { rounds: number; vectors: boolean },
  report: Report,
): Promise<void> {
  const kinds = [...drawn.long, ...drawn.short];
  const size = filled[0]![1].size;
  const cases = kinds.flatMap((kind) =>
    filled.map(([checkout, team]) => makeCase(checkout, team, kind, vectors)),
  );
  const measured = await inTurns(cases, { rounds, warmUp: WARM_UP_ROUNDS }, measureCase);
  const results = cases.map(({ kind, checkout, queries, terms }, at) => ({
    kind,
    name: checkout.name,
    cpu: median(measured[at]!.map(({ cpu }) => cpu)),
    found: `${measured[at]!.at(-1)?.found}/${queries.length}`,
    terms,
  }));
  const of = (name: string) => results.filter((result) => result.name === name);
  const [before, now] = [of('before'), of('now')];
  const ordinary = now.find(({ kind }) => kind === ORDINARY)!.cpu;
  report.print();
  report.row(`${size} passages, ms of CPU`, ['before', 'now', 'of before', 'of ordinary', 'found', 'terms']);
  const row = (kind: string, cpu: number, earlier: number | undefined, others: string[], held = '') => {
    const compared = earlier === undefined ? ['', ''] : [earlier.toFixed(2), (cpu / earlier).toFixed(2)];
    report.row(kind, [compared[0]!, cpu, compared[1]!, cpu / ordinary, ...others], held);
  };
  for (const [at, { kind, cpu, found, terms }] of now.entries()) {
    const name = `${kind} in ${size} passages`;
    const earlier = before[at]?.cpu;
    const held = drawn.short.has(kind)
      ? report.hold(`${name}, of an ordinary one`, cpu / ordinary, MAX_OF_ORDINARY)
      : report.hold(
          `${name}, of before`,
          cpu / (earlier ?? cpu),
          earlier === undefined ? null : MAX_OF_BEFORE,
        );
    row(kind, cpu, earlier, [`${before[at]?.found ?? ''} ${found}`.trim(), terms.toFixed(2)], held);
  }
  const mean = (some: typeof results) => {
    const short = some.filter(({ kind }) => drawn.short.has(kind));
    return short.reduce((sum, { cpu }) => sum + cpu, 0) / short.length;
  };
  row('mean of the short ones', mean(now), before.length === 0 ? undefined : mean(before), []);
}

/** Uses an empty PostgreSQL database, or an empty folder for an embedded one, and removes it. */
async function withPlace(isEmbedded: boolean, use: (place: DatabasePlace) => Promise<void>): Promise<void> {
  if (!isEmbedded) return withServerDatabase((url) => use({ url }));
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-short-'));
  await use({ dataDir }).finally(() => rm(dataDir, { recursive: true, force: true }));
}

await runBench(
  {
    name: 'bench:short',
    about:
      'What searches of one to three words cost, next to those of ordinary length, in CPU time of the database.',
    options: {
      passages: [[600, 9000, 100_000], 'passages of the Teams'],
      before: ['', 'the folder of another checkout, which is measured in turns with this one'],
      rounds: [5, 'rounds of every kind of query'],
      queries: [40, 'queries of every kind'],
      vectors: [false, 'search by meaning too'],
      embedded: [false, 'measure the embedded database, not PostgreSQL'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  async ({ passages, before, rounds, queries, vectors, embedded }, report) => {
    const folder = textsFolder();
    const sets = await Promise.all(LANGUAGES.map((language) => readRetrievalSet(folder, language)));
    const measure = async (checkouts: readonly Checkout[]) => {
      report.print(await describeDatabase(checkouts[0]!.database));
      for (const size of passages) {
        const filled: [Checkout, FilledTeam][] = [];
        const ms = await timed(async () => {
          for (const checkout of checkouts) filled.push([checkout, await checkout.fill(size)]);
        });
        for (const checkout of checkouts) await checkout.maintain('vacuum analyze');
        report.print(`\n${size} passages stored in ${(ms / 1000).toFixed(0)} s`);
        const drawn = drawQueries(await openNaturalText(folder, size), size, sets, queries);
        await measureCpu(filled, drawn, { rounds, vectors }, report);
      }
    };
    await withCheckouts(before, folder, (use) => withPlace(embedded, use), measure);
  },
);
