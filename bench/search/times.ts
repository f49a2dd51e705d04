import { type Database, transaction } from '../../db/driver/database.ts';
import { searchChunks } from '../../db/queries/search/search.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { percentile } from '../../test/support/generated-text.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { FIRST_CLIENT_SHARE, type FilledTeam } from '../support/filled-teams.ts';
import { median } from '../support/report.ts';
import type { SearchReport } from './report.ts';

/** Rounds of every case that are not counted: connection, plans and caches are as in a service that runs. */
const WARM_UP_ROUNDS = 20;

/** The p95 of a hybrid search is below so many times its p50. */
const P95_OF_P50 = 3;
/** A query of stop-words alone, where every posting is long, takes at most so many times what a question takes. */
const STOP_WORDS_OF_QUESTION = 3;
/** With a filter that lets all or half of it through a search takes at most so many times what it takes without one. */
const FILTERED_OF_HYBRID = 4;
/** Of the curve: an exponent of 1 would be a search that reads everything. */
const LINEAR = 1;
const CURVE_FROM = 1000;

/** What is asked of a hybrid search in ms, by the chunks in its scope. Shown: the machine decides. */
const ASKED_P50_MS = new Map([
  [1600, 8],
  [30_000, 20],
  [100_000, 40],
]);

const STOP_WORDS = [
  'the of and in to a is',
  'der die das und in',
  'de la que el en y los',
  'и в не на что с по',
  '的 是 在 了 和',
  'the in der de la и на',
];

interface Asked {
  query: string;
  embedding: Float32Array | null;
  createdAfter?: Date;
}

type CaseName = keyof ReturnType<typeof cases>;

/** When the older half of a Team's chunks was stored. */
async function middleOf(database: Database, { company, size }: FilledTeam): Promise<Date> {
  const [row] = await database.query<{ at: Date }>(
    'select created_at as at from memory.chunk where team_id = $1 order by created_at offset $2 limit 1',
    [company.teamId, size / 2],
  );
  if (row === undefined) throw new Error('the Team has passages');
  return row.at;
}

/**
 * What is asked of a Team, another one at each call.
 * @param middle when its older half was stored
 */
function cases({ text, vectors }: FilledTeam, middle: Date) {
  let stopWords = 0;
  const words = (query: string): Asked => ({ query, embedding: null });
  return {
    code: () => words(text.code()),
    question: () => words(text.question()),
    'question with a code': () => words(text.questionWithCode()),
    'Chinese question': () => words(text.question('zh')),
    'stop-words': () => words(STOP_WORDS[stopWords++ % STOP_WORDS.length] ?? ''),
    'vector only': () => ({ query: '?', embedding: vectors.vector() }),
    'hybrid question': () => ({ query: text.question(), embedding: vectors.vector() }),
    'hybrid, filtered': () => ({
      query: text.question(),
      embedding: vectors.vector(),
      createdAfter: new Date(0),
    }),
    // Where as many pass as do not, most are gathered and looked up.
    'hybrid, half of it': () => ({
      query: text.question(),
      embedding: vectors.vector(),
      createdAfter: middle,
    }),
  };
}

async function timeSearch(database: Database, scope: TeamScope, asked: Asked): Promise<number> {
  const terms = queryTerms(scope.teamId, asked.query);
  const began = performance.now();
  await transaction(database, scope, (tx) =>
    searchChunks(tx, { ...asked, terms, model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K }),
  );
  return performance.now() - began;
}

/** The times of every case in one scope, in ms, taken in turns: what disturbs the machine disturbs them alike. */
async function timesOf(
  database: Database,
  team: FilledTeam,
  scope: TeamScope,
  rounds: number,
): Promise<Map<CaseName, number[]>> {
  const middle = await middleOf(database, team);
  const entries = Object.entries(cases(team, middle)) as [CaseName, () => Asked][];
  const times = new Map(entries.map(([name]) => [name, [] as number[]]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [name, next] of entries) {
      const took = await timeSearch(database, scope, next());
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  return times;
}

/**
 * How long searches of a Team take, of all of it and of one client alone, on one connection.
 * @returns the p50 of a hybrid search of the whole Team, in ms
 */
export async function measureTimes(
  database: Database,
  team: FilledTeam,
  rounds: number,
  report: SearchReport,
): Promise<number> {
  const [client] = team.scopes.clients;
  const scopes: [string, number, TeamScope][] = [['whole Team', team.size, team.scopes.whole]];
  if (client !== undefined) scopes.push(['one client', team.size * FIRST_CLIENT_SHARE, client]);
  report.print('');
  report.row(
    `a Team of ${team.size}, ${rounds} rounds`,
    scopes.flatMap(([name, size]) => [name, `of ${size}`]),
  );
  report.row(
    '',
    scopes.flatMap(() => ['p50 ms', 'p95 ms']),
  );
  const measured: Map<CaseName, number[]>[] = [];
  for (const [, , scope] of scopes) measured.push(await timesOf(database, team, scope, rounds));
  const p50 = (place: number, name: CaseName) => median(measured[place]?.get(name) ?? []);
  const p95 = (place: number, name: CaseName) => percentile(measured[place]?.get(name) ?? [], 0.95);
  const asked = ASKED_P50_MS.get(team.size);
  for (const name of measured[0]?.keys() ?? []) {
    const figures = scopes.flatMap((_, place) => [p50(place, name), p95(place, name)]);
    report.row(
      name,
      figures.map((ms) => ms.toFixed(2)),
      name === 'hybrid question' && asked !== undefined ? `asked: a p50 under ${asked} ms` : '',
    );
  }
  for (const [place, [name]] of scopes.entries()) {
    const where = `${team.size} passages, ${name}`;
    const spread = p95(place, 'hybrid question') / p50(place, 'hybrid question');
    const heldSpread = report.hold(`${where}: p95 of p50, hybrid`, spread, P95_OF_P50);
    const stop = p50(place, 'stop-words') / p50(place, 'question');
    const heldStop = report.hold(`${where}: stop-words of a question`, stop, STOP_WORDS_OF_QUESTION);
    for (const filter of ['hybrid, filtered', 'hybrid, half of it'] as const) {
      const filtered = p50(place, filter) / p50(place, 'hybrid question');
      const held = report.hold(`${where}: ${filter}, of hybrid`, filtered, FILTERED_OF_HYBRID);
      report.print(`  ${name}: ${filter}: ${filtered.toFixed(2)} x hybrid (${held})`);
    }
    report.print(
      `  ${name}: hybrid p95 ${spread.toFixed(2)} x p50 (${heldSpread}); stop-words ${stop.toFixed(2)} x a question (${heldStop})`,
    );
  }
  return p50(0, 'hybrid question');
}

/**
 * How the cost of a hybrid search grows with what it searches.
 * @param points chunks of a Team, and the p50 of it in ms
 */
export function reportCurve(points: readonly (readonly [number, number])[], report: SearchReport): void {
  const curve = points.filter(([size]) => size >= CURVE_FROM).toSorted(([a], [b]) => a - b);
  const [first, last] = [curve[0], curve.at(-1)];
  if (first === undefined || last === undefined || curve.length < 2) return;
  report.print('');
  report.row('hybrid, whole Team: growth', ['p50 ms', 'x', 'exponent'], 'of the cost, by the passages');
  const steps = curve.slice(1).map((point, index) => [curve[index] ?? point, point] as const);
  if (steps.length > 1) steps.push([first, last]);
  for (const [from, to] of steps) {
    const exponent = Math.log(to[1] / from[1]) / Math.log(to[0] / from[0]);
    const name = `${from[0]} to ${to[0]}`;
    const held = report.hold(`growth of the cost, ${name}`, exponent, LINEAR);
    report.row(name, [to[1].toFixed(2), (to[1] / from[1]).toFixed(2), exponent.toFixed(2)], held);
  }
}
