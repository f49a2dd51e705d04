import { type Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { SEARCHED } from '../../db/queries/search/terms.ts';
import { prepareDatabase } from '../../test/support/needs/database.ts';
import { copyDatabase } from '../../test/support/needs/own-database.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
import { describeDatabase, logger, maintain, serverUrl, withServerDatabase } from '../support/databases.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { type Case, fillCases, SEARCHES } from './cases.ts';
import {
  callersOf,
  type Definitions,
  findSteerings,
  readDefinitions,
  type Steering,
  withoutParts,
} from './steerings.ts';

/** A case that takes so many times as long is stopped. */
const MAX_RATIO = 20;
/** Ends a search that takes much longer than `MAX_RATIO` allows. */
const STATEMENT_MS = 5000;
/** A case with a lower ratio does not need the steering. */
const NEEDED = 1.05;
/** A higher ratio is not measured again: noise does not double the time. */
const CLEAR = 2;
/** Searches that are not counted. After five, PostgreSQL can keep the plan of a statement for all values. */
const WARM_UP = 6;
/** How often each search is then measured in a turn. The fastest counts, because other work only adds time. */
const PASSES = 3;
const QUERY_CANCELED = '57014';

/** The CPU time of the database for each search, in ms, and all hits as JSON. A case that was stopped has none. */
interface Turn {
  cpu: readonly number[];
  hits: string | null;
}
const STOPPED: Turn = { cpu: [Number.POSITIVE_INFINITY], hits: null };

/** A database with the cases, and how long they take with all steerings. */
interface Place {
  name: string;
  url: string;
  database: Database;
  usual: ReadonlyMap<Case, Turn>;
}

/** The CPU time of all searches of a case, each from the turn in which it was the fastest. */
const fastestOf = (turns: readonly Turn[]): number =>
  turns[0]!.cpu.reduce((sum, _, nth) => sum + Math.min(...turns.map(({ cpu }) => cpu[nth]!)), 0);

async function measureCase(database: Database, one: Case, most: number): Promise<Turn> {
  const pids = await backendsOf(database);
  const fastest: number[] = [];
  const hits: unknown[] = [];
  try {
    for (let run = 0; run < WARM_UP + PASSES * SEARCHES; run += 1) {
      const nth = run % SEARCHES;
      const used = startCpuTimer(pids);
      hits[nth] = await one.search(database, nth);
      const cpu = used();
      // The first run makes the plans.
      if (run > 0 && cpu > most) return STOPPED;
      if (run >= WARM_UP) fastest[nth] = Math.min(fastest[nth] ?? cpu, cpu);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
    return STOPPED;
  }
  return { cpu: fastest, hits: JSON.stringify(hits) };
}

/**
 * Measures cases on a new connection. An older one keeps the plans of functions that were not replaced, also if these
 * plans were made with the settings of a caller that was.
 */
async function measureTurn(
  { url, usual }: Pick<Place, 'url' | 'usual'>,
  cases: readonly Case[],
): Promise<Map<Case, Turn>> {
  const timeouts = { ...BUILD_TIMEOUTS, statement: STATEMENT_MS };
  const database = openPostgres(url, logger, { max: 1, timeouts });
  const turns = new Map<Case, Turn>();
  try {
    for (const one of cases) {
      const known = usual.get(one);
      const most = known === undefined ? Number.POSITIVE_INFINITY : MAX_RATIO * Math.max(...known.cpu);
      turns.set(one, await measureCase(database, one, most));
    }
  } finally {
    await database.close();
  }
  return turns;
}

/** The CPU time of a case without a steering, as a multiple of that with it. */
interface Ratio {
  name: string;
  ratio: number;
}

/**
 * Measures cases with and without a steering, in turns, in each place. Cases that seem to need it are measured again
 * until they do not, because other work on the machine disturbs some of so many.
 */
async function measureSteering(
  places: readonly Place[],
  definitions: Definitions,
  { name: steering, parts }: Steering,
  cases: readonly Case[],
  rounds: number,
  report: Report,
): Promise<Ratio[]> {
  const ratios: Ratio[] = [];
  for (const place of places) {
    const turns: Map<Case, Turn>[][] = [[], []];
    const ratioOf = (one: Case) => {
      const [having, lacking] = turns.map((some) => some.flatMap((turn) => turn.get(one) ?? []));
      if (lacking!.some(({ hits }) => hits === null)) return Number.POSITIVE_INFINITY;
      return fastestOf(lacking!) / fastestOf(having!.filter(({ hits }) => hits !== null));
    };
    const measureRounds = async (some: readonly Case[]) => {
      const measured = await inTurns([true, false], { rounds: 1, warmUp: 0 }, (has) => {
        const measure = () => measureTurn(place, some);
        return has ? measure() : withoutParts(place.database, definitions, parts, measure);
      });
      for (const [at, more] of measured.entries()) turns[at]!.push(...more);
    };
    await measureRounds(cases);
    for (let round = 0; round < rounds; round += 1) {
      const again = cases.filter((one) => ratioOf(one) >= NEEDED && ratioOf(one) <= CLEAR);
      if (again.length === 0) break;
      await measureRounds(again);
    }
    for (const one of cases) {
      const name = `${one.name}, ${place.name}`;
      ratios.push({ name, ratio: ratioOf(one) });
      const found = turns.flat().flatMap((turn) => turn.get(one)?.hits ?? []);
      if (found.some((hits) => hits !== place.usual.get(one)!.hits))
        report.faults.push(`${steering}: without it, other hits in ${name}`);
    }
  }
  return ratios.toSorted((a, b) => b.ratio - a.ratio);
}

const shown = (ratio: number) => (ratio > MAX_RATIO ? `> ${MAX_RATIO}` : ratio);

function printRow(name: string, ratios: readonly Ratio[], report: Report): boolean {
  const worst = ratios[0]!;
  const isNeeded = worst.ratio >= NEEDED;
  const figures = [worst.ratio, median(ratios.map(({ ratio }) => ratio))];
  report.row(
    name,
    [...figures.map(shown), String(ratios.length)],
    isNeeded ? worst.name : `${worst.name}: not needed by these cases`,
  );
  return isNeeded;
}

/** Measures the steerings one by one, and then without as many together as no case needs. */
async function measurePlaces(
  places: readonly Place[],
  cases: readonly Case[],
  { rounds, only }: { rounds: number; only: readonly string[] },
  report: Report,
): Promise<void> {
  const { database } = places[0]!;
  const definitions = await readDefinitions(database);
  const isWanted = ({ name }: Steering) => only.length === 0 || only.some((part) => name.includes(part));
  const steerings = findSteerings(definitions).filter(isWanted);
  const callers = new Map<string, Case[]>();
  for (const of of new Set(steerings.flatMap(({ parts }) => parts.map((part) => part.of)))) {
    const run = async (one: Case) => {
      for (let nth = 0; nth < SEARCHES; nth += 1) await one.search(database, nth);
    };
    callers.set(of, await callersOf(database, definitions, of, cases, run));
  }
  const measured: { steering: Steering; ratios: Ratio[] }[] = [];
  const measure = (steering: Steering) => {
    const called = cases.filter((one) => steering.parts.some(({ of }) => callers.get(of)!.includes(one)));
    return measureSteering(places, definitions, steering, called, rounds, report);
  };
  for (const steering of steerings) {
    const ratios = await measure(steering);
    if (ratios.length === 0) continue;
    measured.push({ steering, ratios });
    process.stderr.write(`${steering.name}: ${ratios[0]!.ratio.toFixed(2)}, ${ratios[0]!.name}\n`);
  }
  report.width = 62;
  report.print('\nCPU time of the database without a steering, as a multiple of that with it');
  report.row('', ['worst', 'median', 'cases'], 'the worst case');
  const unneeded: Steering[] = [];
  for (const { steering, ratios } of measured.toSorted((a, b) => b.ratios[0]!.ratio - a.ratios[0]!.ratio)) {
    if (!printRow(steering.name, ratios, report) && steering.parts.length === 1) unneeded.push(steering);
  }
  for (const of of new Set([...callers].flatMap(([of, by]) => (by.length === 0 ? [of] : []))))
    report.print(`not measured, because no case calls it: ${of}`);
  if (unneeded.length === 0) return;
  // Two can have the same effect, so that each is only needed without the other: they are taken away one after the other.
  let gone: Steering = { name: '', parts: [] };
  let ratios: Ratio[] = [];
  for (const { name, parts } of unneeded) {
    const without = { name, parts: [...gone.parts, ...parts] };
    const now = await measure(without);
    const stays = now[0]!.ratio >= NEEDED;
    process.stderr.write(`${name}: ${now[0]!.ratio.toFixed(2)}, ${now[0]!.name}\n`);
    if (stays)
      report.print(`needed without those that go: ${name} (${now[0]!.ratio.toFixed(2)}, ${now[0]!.name})`);
    else {
      report.print(`can go: ${name}`);
      [gone, ratios] = [without, now];
    }
  }
  report.print();
  if (ratios.length > 0) printRow(`without the ${gone.parts.length} that can go`, ratios, report);
}

await runBench(
  {
    name: 'bench:plans',
    about:
      'Which settings and which `offset 0` of the functions of a search are still needed: the CPU time of searches with each and without it, in a database with statistics and in one without.',
    options: {
      sizes: [[600, 9000], 'passages of the Teams'],
      rounds: [8, 'how often cases that seem to need a steering are measured again, at most'],
      only: [
        [''],
        'only the steerings whose name has one of these parts, such as "first_passing" or "offset 0"',
      ],
    },
    needs: ['texts', 'server', 'linux'],
  },
  async ({ sizes, rounds, only }, report) => {
    const folder = textsFolder();
    await withServerDatabase(async (url) => {
      const filled = openPostgres(url, logger);
      await prepareDatabase(filled);
      report.print(await describeDatabase(filled));
      const cases = await fillCases(filled, sizes, folder).finally(() => filled.close());
      const analysed = await copyDatabase(serverUrl(), new URL(url).pathname.slice(1));
      const places: Place[] = [];
      try {
        for (const table of SEARCHED) await maintain(analysed.url, `vacuum analyze memory.${table}`);
        for (const [name, at] of [
          ['no statistics', url],
          ['analysed', analysed.url],
        ] as const) {
          const usual = await measureTurn({ url: at, usual: new Map() }, cases);
          for (const [one, { hits }] of usual)
            if (hits === null)
              throw new Error(`${one.name}, ${name}: a search takes more than ${STATEMENT_MS} ms`);
          places.push({ name, url: at, usual, database: openPostgres(at, logger, { max: 1 }) });
        }
        await measurePlaces(places, cases, { rounds, only: only.filter((part) => part !== '') }, report);
      } finally {
        for (const { database } of places) await database.close();
        await analysed.drop();
      }
    });
  },
);
