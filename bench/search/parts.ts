import pg from 'pg';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import type { Checkout } from '../support/checkout.ts';
import { withCheckouts } from '../support/checkout.ts';
import { WITH_LIMITS } from '../support/child.ts';
import { backendsOf, pinToCore, startCpuTimer } from '../support/cpu.ts';
import { describeDatabase, withServerDatabase } from '../support/databases.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { drawSearches, openSearcher, type Search, sessionHeaders } from '../support/searches.ts';

/** Different searches, each sent once in a round. */
const SEARCHES = 40;
/** Rounds that are not counted: Node compiles the API in them. */
const WARM_UP_ROUNDS = 20;
/** Only the signs of the Team's vectors, as a table that has nothing else would hold them. */
const SIGNS_TABLE = `create table public.signs as
  select chunk_id, signs from memory.chunk_embedding where team_id = $1 and model = $2`;
/** A bare scan: all signs are compared, and the best 200 in full. */
const BARE_SCAN = `
  select e.chunk_id, -(e.embedding <#> $1::halfvec) as similarity
    from (select chunk_id from public.signs order by signs <~> $4::bit(1024) limit 200) b
    cross join lateral (select e.chunk_id, e.embedding from memory.chunk_embedding e
                         where e.team_id = $2 and e.model = $3 and e.chunk_id = b.chunk_id offset 0) e
   order by similarity desc limit ${DEFAULT_TOP_K}`;

const NO_FILTER = 'choose_filter(null, null, null, null, null, null, null)';
const CANDIDATES = `search_candidates($1::halfvec, $2, 1, null, $3::int[], $4::real[], $5::real[], $6::int[], $7::int[],
  $8::int[], $9::int[], $10::int[], $11::int[], null, null, null, null, null, null, null, null, false)`;

interface Case {
  name: string;
  run: (nth: number) => Promise<unknown>;
}

const textOf = (vector: Float32Array) => `[${vector.join(',')}]`;
const signsOf = (vector: Float32Array) => [...vector].map((number) => (number > 0 ? '1' : '0')).join('');
const get = (url: URL, path: string, headers: Record<string, string>): Buffer =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );

/** Parts of the statement of a search, each in a transaction with the claims, and all of it. */
async function casesInDatabase(
  checkout: Checkout,
  team: FilledTeam,
  searches: readonly Search[],
  client: pg.Client,
): Promise<Case[]> {
  const { whole } = team.scopes;
  const vectors = searches.map(({ vector }) => textOf(vector));
  const terms = searches.map(({ query }) => checkout.termsOf(whole, query));
  const sent = await Promise.all(
    searches.map(({ query, vector }) => checkout.statementsOf(team, query, vector)),
  );
  // As the service searches: PostgreSQL keeps the plan of a statement.
  const claims = sent[0]![0]!.text.replace('force_custom_plan', 'auto');
  // The functions of a search are for the owner of the database alone. The settings are those of `search_hits`, which calls them.
  const asOwner = [
    claims.replace(/^set local role = '[^']*';/, ''),
    'set local search_path = memory, public, pg_temp',
    'set local plan_cache_mode = force_generic_plan',
    'set local enable_seqscan = off',
  ].join('; ');
  const run = async (name: string, opening: string, text: string, values: unknown[] = []) => {
    await client.query('begin');
    await client.query(opening);
    await client.query({ name, text, values });
    await client.query('commit');
  };
  const candidates = (name: string, nth: number, vector: string | null) => {
    const { dims, factors, lengths, keys, identifierKeys, guesses } = terms[nth]!;
    const guessed = [guesses.keys, guesses.percents, guesses.places, guesses.words];
    const arrays = [dims, factors, lengths, keys, identifierKeys, ...guessed].map((values) => [...values]);
    return run(name, asOwner, `select count(*) from ${CANDIDATES}`, [vector, TEST_MODEL_NAME, ...arrays]);
  };
  const asBuffer = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  return [
    { name: 'claims', run: () => run('claims', claims, 'select 1') },
    { name: 'words', run: (nth) => candidates('words', nth, null) },
    {
      name: 'vectors',
      run: (nth) =>
        run(
          'vectors',
          asOwner,
          `select semantic_candidates($1::halfvec, $2, ${NO_FILTER}, 50, ${team.size}, false)`,
          [vectors[nth], TEST_MODEL_NAME],
        ),
    },
    { name: 'candidates', run: (nth) => candidates('candidates', nth, vectors[nth]!) },
    {
      name: 'statement',
      run: (nth) =>
        run('statement', claims, sent[nth]![1]!.text, (sent[nth]![1]!.values ?? []).map(asBuffer)),
    },
  ];
}

/** CPU time of one search of a round, in ms: of the API, of the database, and with the client. */
type Cpu = Record<'api' | 'database' | 'all', number>;

await runBench(
  {
    name: 'bench:parts',
    about:
      'Where the CPU time of a search over HTTP goes, by part; and how it compares with a bare scan of the same vectors, on one core.',
    options: {
      size: [30_000, 'passages of the Team'],
      rounds: [15, `rounds of ${SEARCHES} searches`],
      core: [0, 'the core to use'],
      before: ['', 'the folder of another checkout, which is measured in turns with this one'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  async ({ size, rounds, core, before }, report) => {
    const measure = async (checkouts: readonly Checkout[]) => {
      report.print(await describeDatabase(checkouts[0]!.database));
      pinToCore(process.pid, core);
      const cases: (Case & { cpu: (searches: number) => Promise<() => Cpu> })[] = [];
      const endings: (() => Promise<unknown>)[] = [];
      for (const checkout of checkouts) {
        const team = await checkout.fill(size);
        await checkout.database.query(SIGNS_TABLE, [team.company.teamId, TEST_MODEL_NAME]);
        await checkout.maintain('vacuum analyze');
        const client = new pg.Client({ connectionString: checkout.url });
        const scanner = new pg.Client({ connectionString: checkout.url });
        await Promise.all([client.connect(), scanner.connect()]);
        // Only the connection's own process is measured.
        await scanner.query('set max_parallel_workers_per_gather = 0');
        const headers = await sessionHeaders(checkout.database, team.company);
        const searcher = await openSearcher(await checkout.startApi(WITH_LIMITS), headers);
        const { child, url } = searcher.api;
        pinToCore(child.pid, core);
        endings.push(
          () => searcher.close(),
          () => client.end(),
          () => scanner.end(),
        );
        const searches = drawSearches(team, SEARCHES);
        const requests = searches.map((search) => searcher.requestOf(search));
        const alive = get(url, '/livez', {});
        const session = get(url, '/v1/auth/session', headers);
        const scans = searches.map(({ vector }) => [
          textOf(vector),
          team.company.teamId,
          TEST_MODEL_NAME,
          signsOf(vector),
        ]);
        const ofCheckout: Case[] = [
          {
            name: 'bare scan',
            run: (nth) => scanner.query({ name: 'scan', text: BARE_SCAN, values: scans[nth]! }),
          },
          { name: 'HTTP', run: (nth) => searcher.send(requests[nth]!) },
          { name: 'GET /livez', run: () => searcher.send(alive) },
          { name: 'GET session', run: () => searcher.send(session) },
          ...(await casesInDatabase(checkout, team, searches, client)),
        ];
        const cpu = async (count: number) => {
          const pids = await backendsOf(checkout.database);
          for (const pid of pids) pinToCore(pid, core);
          const timers = [[child.pid], pids, [process.pid]].map(startCpuTimer);
          return () => {
            const [api = 0, database = 0, own = 0] = timers.map((timer) => timer() / count);
            return { api, database, all: api + database + own };
          };
        };
        for (const one of ofCheckout) cases.push({ ...one, cpu });
      }
      const measured = await inTurns(cases, { rounds, warmUp: WARM_UP_ROUNDS }, async ({ run, cpu }) => {
        const used = await cpu(SEARCHES);
        for (let nth = 0; nth < SEARCHES; nth += 1) await run(nth);
        return used();
      });
      const perCheckout = cases.length / checkouts.length;
      for (const [place, { name }] of checkouts.entries()) {
        const from = place * perCheckout;
        const names = cases.slice(from, from + perCheckout).map((one) => one.name);
        printParts(name, size, new Map(names.map((one, nth) => [one, measured[from + nth]!])), report);
      }
      for (const end of endings) await end();
    };
    await withCheckouts(before, textsFolder(), (use) => withServerDatabase((url) => use({ url })), measure);
  },
);

function printParts(checkout: string, size: number, cases: ReadonlyMap<string, Cpu[]>, report: Report): void {
  const of = (name: string, part: keyof Cpu) => median(cases.get(name)!.map((cpu) => cpu[part]));
  const database = (name: string) => of(name, 'database');
  const claims = database('claims');
  const parts: [name: string, ms: number][] = [
    ['HTTP, of any request', of('GET /livez', 'api')],
    ['identity and limits', of('GET session', 'api') - of('GET /livez', 'api') + database('GET session')],
    ['request and answer, in the API', of('HTTP', 'api') - of('GET session', 'api')],
    ['words', database('words') - claims],
    ['vectors', database('vectors') - claims],
    ['fusion', database('candidates') - database('words') - database('vectors') + claims],
    ['equal passages, and texts', database('statement') - database('candidates')],
    ['claims and audit', database('HTTP') - database('statement') - database('GET session') + claims],
  ];
  report.print(`\n${checkout}: a search in ${size} passages, CPU in ms, medians`);
  for (const [name, ms] of parts) report.row(name, [ms]);
  report.row('API and database', [of('HTTP', 'api') + database('HTTP')]);
  const ratio = of('HTTP', 'all') / of('bare scan', 'all');
  report.row('with the client', [of('HTTP', 'all')]);
  report.row('bare scan, with the client', [of('bare scan', 'all')]);
  report.row('ratio', [ratio]);
}
