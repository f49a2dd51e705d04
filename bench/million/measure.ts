import { readFileSync } from 'node:fs';
import { type Database, transaction } from '../../db/driver/database.ts';
import { halfvecBinary } from '../../db/driver/wire-format.ts';
import { type SearchFilters, searchChunks, searchExplained } from '../../db/queries/search/search.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { percentile } from '../../test/support/generated-text.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import type { SearchReport } from '../search/report.ts';
import { median } from '../support/report.ts';
import type { ClusteredVectors } from './clustered-vectors.ts';
import { LAYERS, type LargeTeam } from './fill-team.ts';

const WARM_UP_ROUNDS = 3;
/** The targets for a Team of a million chunks. */
const OF_SMALL = 3;
const FILTERED_OF_HYBRID = 1.5;
const LEAST_RECALL = { whole: 0.98, client: 0.99 };
const TOP = 10;
/** No word, so only the vectors decide. */
const WORDLESS = '?';

interface Asked {
  query: string;
  embedding: Float32Array | null;
  filters?: SearchFilters;
  scope: TeamScope;
}

/** What a search took, in ms: by the clock, and of the processor for the server process of the connection. */
interface Took {
  clock: number;
  processor: number;
}

/** Reads the processor time of a server process of this machine, in ms. On a busy machine, the clock says little. */
async function processorClock(database: Database): Promise<() => number> {
  const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const path = `/proc/${row?.pid}/schedstat`;
  return () => {
    try {
      return Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      // Not Linux, or the server is on another machine.
      return Number.NaN;
    }
  };
}

async function timeSearch(
  database: Database,
  processor: () => number,
  { query, embedding, filters, scope }: Asked,
): Promise<Took> {
  const terms = queryTerms(scope.teamId, query);
  const [began, before] = [performance.now(), processor()];
  await transaction(database, scope, (tx) =>
    searchChunks(tx, { ...filters, terms, embedding, model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K }),
  );
  return { clock: performance.now() - began, processor: processor() - before };
}

/** The time of the middle chunk. */
const MIDDLE = new Date(Date.parse('2025-01-01') + (365 * 86_400_000) / 2);

function casesOf(
  { text, whole, ofClients }: LargeTeam,
  vectors: ClusteredVectors,
): Record<string, () => Asked> {
  let nth = 0;
  const next = () => vectors.query((nth += 1) % LAYERS);
  const hybrid = (filters?: SearchFilters, scope = whole) => ({
    query: text.question(),
    embedding: next(),
    scope,
    ...(filters === undefined ? {} : { filters }),
  });
  const [client] = ofClients;
  return {
    hybrid: () => hybrid(),
    'half by time': () => hybrid({ createdAfter: MIDDLE }),
    'half by kind': () => hybrid({ kinds: ['import'] }),
    'one day': () => hybrid({ createdAfter: new Date(Date.parse('2025-12-30')) }),
    'keyword only': () => ({ query: text.question(), embedding: null, scope: whole }),
    'common words': () => ({ query: 'the of and in to a is', embedding: null, scope: whole }),
    'vector only': () => ({ query: WORDLESS, embedding: next(), scope: whole }),
    'vector, Team layer': () => ({
      query: WORDLESS,
      embedding: next(),
      scope: { ...whole, reads: [whole.teamId] } as TeamScope,
    }),
    'hybrid, client of 30 %': () => hybrid(undefined, client),
    'its half by time': () => hybrid({ createdAfter: MIDDLE }, client),
  };
}

/**
 * How long searches take in each Team, in turns, so that what disturbs the machine disturbs all cases alike.
 * @param database has a single connection
 */
export async function measureTimes(
  database: Database,
  teams: readonly LargeTeam[],
  vectors: ClusteredVectors,
  rounds: number,
  report: SearchReport,
): Promise<void> {
  const processor = await processorClock(database);
  const cases = teams.map((team) => casesOf(team, vectors));
  const names = Object.keys(cases[0] ?? {});
  const times = teams.map(() => new Map(names.map((name) => [name, [] as Took[]])));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const name of names) {
      for (const [place, ofTeam] of cases.entries()) {
        const asked = ofTeam[name]?.();
        if (asked === undefined) continue;
        const took = await timeSearch(database, processor, asked);
        if (round >= 0) times[place]?.get(name)?.push(took);
      }
    }
  }
  report.print('');
  report.row(
    `${rounds} rounds, ms`,
    teams.flatMap(({ size }) => [`${size}: p50`, 'p95', 'processor']),
  );
  const of = (place: number, name: string, unit: keyof Took) =>
    (times[place]?.get(name) ?? []).map((took) => took[unit]);
  for (const name of names) {
    const figures = teams.flatMap((_, place) => [
      median(of(place, name, 'clock')),
      percentile(of(place, name, 'clock'), 0.95),
      median(of(place, name, 'processor')),
    ]);
    report.row(
      name,
      figures.map((ms) => ms.toFixed(1)),
    );
  }
  // Of the processor where it can be read: others that use the machine make the clock useless.
  const unit = Number.isNaN(processor()) ? 'clock' : 'processor';
  const p50 = (place: number, name: string) => median(of(place, name, unit));
  const growth = p50(1, 'hybrid') / p50(0, 'hybrid');
  report.print(
    `  hybrid: ${growth.toFixed(2)} x the small Team (${report.hold('large of small', growth, OF_SMALL)})`,
  );
  for (const name of ['half by time', 'half by kind']) {
    const ratio = p50(1, name) / p50(1, 'hybrid');
    report.print(`  ${name}: ${ratio.toFixed(2)} x hybrid (${report.hold(name, ratio, FILTERED_OF_HYBRID)})`);
  }
}

/** What each stage of a hybrid search takes, as its explanation tells. */
export async function measureStages(
  database: Database,
  teams: readonly LargeTeam[],
  vectors: ClusteredVectors,
  rounds: number,
  report: SearchReport,
): Promise<void> {
  report.print('');
  for (const [name, filters] of [
    ['hybrid', {}],
    ['half by time', { createdAfter: MIDDLE }],
    ['half by kind', { kinds: ['import'] }],
  ] as [string, SearchFilters][]) {
    for (const { size, text, whole } of teams) {
      const stages = new Map<string, number[]>();
      const paths = new Map<string, number>();
      for (let round = 0; round < rounds; round += 1) {
        const query = {
          ...filters,
          terms: queryTerms(whole.teamId, text.question()),
          embedding: vectors.query(round % LAYERS),
          model: TEST_MODEL_NAME,
          topK: DEFAULT_TOP_K,
        };
        const { trace } = await transaction(database, whole, (tx) => searchExplained(tx, query));
        for (const [stage, ms] of Object.entries(trace.milliseconds)) {
          if (stage === 'semantic') continue;
          stages.set(stage, [...(stages.get(stage) ?? []), ms]);
        }
        const path = trace.semantic?.path ?? 'none';
        paths.set(path, (paths.get(path) ?? 0) + 1);
      }
      const figures = [...stages].map(([stage, ms]) => `${stage} ${median(ms).toFixed(1)}`);
      const ways = [...paths].map(([path, count]) => `${path} ${count}`);
      report.print(
        `${`stages, ${name}, ${size}`.padEnd(34)}${figures.join(', ')} ms; paths: ${ways.join(', ')}`,
      );
    }
  }
}

/** A chunk and its layer. */
interface Near {
  id: string;
  layer: string;
}

/** The nearest chunks of each layer, nearest first, by comparing all vectors of the Team in full. */
async function nearestExactly(database: Database, team: LargeTeam, query: Float32Array): Promise<Near[]> {
  const layers = [team.company.teamId, ...team.clients];
  const parts = layers.map(
    (_, n) => `(select e.chunk_id as id, e.layer_id as layer, e.embedding <#> $1::halfvec as distance
       from memory.chunk_embedding e where e.team_id = $2 and e.model = $3 and e.layer_id = $${n + 4}
      order by 3 limit ${TOP})`,
  );
  return database.query<Near>(
    `select id, layer from (${parts.join(' union all ')}) n order by distance, id`,
    [halfvecBinary(query), team.company.teamId, TEST_MODEL_NAME, ...layers],
  );
}

/** Which of the ten nearest are found, in the whole Team and in each client. */
export async function measureRecall(
  database: Database,
  team: LargeTeam,
  vectors: ClusteredVectors,
  queries: number,
  report: SearchReport,
): Promise<void> {
  const scopes = [
    { name: 'whole Team', scope: team.whole, least: LEAST_RECALL.whole, found: 0, wanted: 0 },
    ...team.ofClients.map((scope, n) => ({
      name: `client ${n + 1}`,
      scope,
      least: LEAST_RECALL.client,
      found: 0,
      wanted: 0,
    })),
  ];
  for (let nth = 0; nth < queries; nth += 1) {
    const embedding = vectors.query(nth % LAYERS);
    const nearest = await nearestExactly(database, team, embedding);
    for (const tally of scopes) {
      const { reads } = tally.scope;
      const wanted = nearest.filter(({ layer }) => reads.includes(layer));
      const terms = queryTerms(tally.scope.teamId, WORDLESS);
      const hits = await transaction(database, tally.scope, (tx) =>
        searchChunks(tx, { terms, embedding, model: TEST_MODEL_NAME, topK: TOP }),
      );
      const ids = new Set(hits.map((hit) => hit.chunk_id));
      tally.wanted += Math.min(TOP, wanted.length);
      tally.found += wanted.slice(0, TOP).filter(({ id }) => ids.has(id)).length;
    }
  }
  report.print('');
  report.row(`recall@${TOP}, ${queries} queries`, ['recall']);
  for (const { name, least, found, wanted } of scopes) {
    const recall = found / wanted;
    report.row(
      `  ${team.size}, ${name}`,
      [recall.toFixed(4)],
      report.holdAtLeast(`recall, ${name}`, recall, least),
    );
  }
}

const INSERTS = 500;

/**
 * What storing a vector costs with a graph. With --small 50000, the small Team has none, and shows what it costs without.
 * @param database has a single connection
 */
export async function measureInserts(
  database: Database,
  teams: readonly LargeTeam[],
  report: SearchReport,
): Promise<void> {
  const processor = await processorClock(database);
  report.print('');
  for (const { company, size } of teams) {
    const took: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      // Chunks with no vector of this model yet: their vectors are those of other chunks. Undone afterwards.
      const undone = new Error('undone');
      await database
        .transaction(async (tx) => {
          await tx.query(
            `create temporary table copied on commit drop as
               select e.team_id, e.layer_id, e.chunk_id, e.model, e.embedding from memory.chunk_embedding e
                where e.team_id = $1 and e.model = $2 offset $3 limit ${INSERTS}`,
            [company.teamId, TEST_MODEL_NAME, round * 7919],
          );
          await tx.query(
            'delete from memory.chunk_embedding e using copied c where e.team_id = $1 and e.chunk_id = c.chunk_id',
            [company.teamId],
          );
          const began = processor();
          await tx.query(
            `insert into memory.chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
             select team_id, layer_id, chunk_id, model, embedding from copied`,
          );
          took.push((processor() - began) / INSERTS);
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    }
    report.print(`insert of a vector, Team of ${size}: ${median(took).toFixed(2)} ms of the processor`);
  }
}
