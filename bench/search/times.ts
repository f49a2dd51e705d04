import type { Database } from '../../db/driver/database.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { FIRST_CLIENT_SHARE, type FilledTeam } from '../support/filled-teams.ts';
import { type Report, spread } from '../support/report.ts';
import { inTurns, timed } from '../support/rounds.ts';
import { type Asked, prepareSearch, WORDLESS } from '../support/searches.ts';

/** Rounds of every case that are not counted: connection, plans and caches are as in a service that runs. */
const WARM_UP_ROUNDS = 20;

/** The p95 of a hybrid search is below so many times its p50. */
const P95_OF_P50 = 3;
/** A query of stop-words alone, where every posting is long, takes at most so many times what a question takes. */
const STOP_WORDS_OF_QUESTION = 3;
/** With a filter that lets all or half of it through a search takes at most so many times what it takes without one. */
const FILTERED_OF_HYBRID = 4;

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

type CaseName = keyof ReturnType<typeof cases>;

/** When the older half of a Team's chunks was stored. */
async function middleOf(database: Database, { company, size }: FilledTeam): Promise<Date> {
  const [row] = await database.query<{ at: Date }>(
    'select created_at as at from memory.chunk where team_id = $1 order by created_at offset $2 limit 1',
    [company.teamId, size / 2],
  );
  return row!.at;
}

/**
 * What is asked of a Team, another one at each call.
 * @param middle when its older half was stored
 */
function cases({ text, vectors }: FilledTeam, middle: Date) {
  let stopWords = 0;
  const words = (query: string): Asked => ({ query, embedding: null });
  const hybrid = (createdAfter?: Date): Asked => ({
    query: text.question(),
    embedding: vectors.vector(),
    ...(createdAfter === undefined ? {} : { createdAfter }),
  });
  return {
    code: () => words(text.code()),
    question: () => words(text.question()),
    'question with a code': () => words(text.questionWithCode()),
    'Chinese question': () => words(text.question('zh')),
    'stop-words': () => words(STOP_WORDS[stopWords++ % STOP_WORDS.length] ?? ''),
    'vector only': () => ({ query: WORDLESS, embedding: vectors.vector() }),
    'hybrid question': () => hybrid(),
    'hybrid, filtered': () => hybrid(new Date(0)),
    // Where as many pass as do not, most are gathered and looked up.
    'hybrid, half of it': () => hybrid(middle),
  };
}

/**
 * How long searches of a Team take, of all of it and of one client alone, on one connection.
 * @returns the p50 of a hybrid search of the whole Team, in ms
 */
export async function measureTimes(
  database: Database,
  team: FilledTeam,
  rounds: number,
  report: Report,
): Promise<number> {
  const scopes: [string, number, TeamScope][] = [
    ['whole Team', team.size, team.scopes.whole],
    ['one client', team.size * FIRST_CLIENT_SHARE, team.scopes.clients[0]!],
  ];
  const asked = Object.entries(cases(team, await middleOf(database, team)));
  const measured: Map<string, [p50: number, p95: number]>[] = [];
  for (const [, , scope] of scopes) {
    const times = await inTurns(asked, { rounds, warmUp: WARM_UP_ROUNDS }, ([, next]) =>
      timed(prepareSearch(database, scope, next())),
    );
    measured.push(new Map(asked.map(([name], place) => [name, spread(times[place] ?? [])])));
  }
  report.print();
  report.row(
    `a Team of ${team.size}, ${rounds} rounds`,
    scopes.flatMap(([name, size]) => [name, `of ${size}`]),
  );
  report.row('', ['p50 ms', 'p95 ms', 'p50 ms', 'p95 ms']);
  const most = ASKED_P50_MS.get(team.size);
  for (const [name] of asked) {
    const remark = name === 'hybrid question' && most !== undefined ? `asked: a p50 under ${most} ms` : '';
    report.row(
      name,
      measured.flatMap((of) => of.get(name) ?? []),
      remark,
    );
  }
  for (const [place, [name]] of scopes.entries()) {
    const of = (one: CaseName) => measured[place]!.get(one)!;
    const [hybrid, p95] = of('hybrid question');
    const hold = (what: string, ratio: number, bound: number) => {
      const held = report.hold(`${team.size} passages, ${name}: ${what}`, ratio, bound);
      report.print(`  ${name}: ${what}: ${ratio.toFixed(2)} (${held})`);
    };
    for (const filter of ['hybrid, filtered', 'hybrid, half of it'] as const)
      hold(`${filter}, of hybrid`, of(filter)[0] / hybrid, FILTERED_OF_HYBRID);
    hold('p95 of p50, hybrid', p95 / hybrid, P95_OF_P50);
    hold('stop-words of a question', of('stop-words')[0] / of('question')[0], STOP_WORDS_OF_QUESTION);
  }
  return measured[0]!.get('hybrid question')![0];
}
