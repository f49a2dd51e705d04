import type { Database } from '../../db/driver/database.ts';
import type { SearchFilters } from '../../db/queries/search/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
import { median, type Report, spread } from '../support/report.ts';
import { inTurns, timed } from '../support/rounds.ts';
import { type Asked, prepareSearch, WORDLESS } from '../support/searches.ts';
import type { ClusteredVectors } from './clustered-vectors.ts';
import { LAYERS, type LargeTeam } from './fill-team.ts';

const WARM_UP_ROUNDS = 3;
/** The targets for a Team of a million chunks. */
const OF_SMALL = 3;
const FILTERED_OF_HYBRID = 1.5;
/** The time of the middle chunk. */
const MIDDLE = new Date(Date.parse('2025-01-01') + (365 * 86_400_000) / 2);

function casesOf(
  { text, whole, ofClients }: LargeTeam,
  vectors: ClusteredVectors,
): Record<string, () => Asked & { scope: TeamScope }> {
  let nth = 0;
  const next = () => vectors.query((nth += 1) % LAYERS);
  const hybrid = (filters?: SearchFilters, scope = whole) => ({
    query: text.question(),
    embedding: next(),
    scope,
    ...filters,
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
 * How long searches take in each Team, in turns, so that what disturbs the machine disturbs all cases alike: by the clock, and
 * of the processor for the server process of the connection. On a busy machine, the clock says little.
 * @param database has a single connection
 */
export async function measureTimes(
  database: Database,
  teams: readonly LargeTeam[],
  vectors: ClusteredVectors,
  rounds: number,
  report: Report,
): Promise<void> {
  const ofTeams = teams.map((team) => casesOf(team, vectors));
  const names = Object.keys(ofTeams[0] ?? {});
  const cases = names.flatMap((name) => ofTeams.map((ofTeam) => ofTeam[name]!));
  const measured = await inTurns(cases, { rounds, warmUp: WARM_UP_ROUNDS }, async (next) => {
    const { scope, ...asked } = next();
    const search = prepareSearch(database, scope, asked);
    const cpu = startCpuTimer(await backendsOf(database));
    const clock = await timed(search);
    return { clock, cpu: cpu() };
  });
  report.print();
  report.row(
    `${rounds} rounds, ms`,
    teams.flatMap(({ size }) => [`${size}: p50`, 'p95', 'processor']),
  );
  const cpus = measured.map((all) => median(all.map(({ cpu }) => cpu)));
  for (const [nth, name] of names.entries()) {
    const figures = teams.flatMap((_, place) => {
      const at = nth * teams.length + place;
      return [...spread(measured[at]!.map(({ clock }) => clock)), cpus[at]!];
    });
    report.row(name, figures, '', 1);
  }
  const [small, large] = [0, 1].map((place) => (name: string) => cpus[names.indexOf(name) * 2 + place]!);
  const growth = large!('hybrid') / small!('hybrid');
  report.row('hybrid, of the small Team', [growth], report.hold('large of small', growth, OF_SMALL));
  for (const name of ['half by time', 'half by kind']) {
    const ratio = large!(name) / large!('hybrid');
    report.row(`${name}, of hybrid`, [ratio], report.hold(name, ratio, FILTERED_OF_HYBRID));
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
  report: Report,
): Promise<void> {
  report.print();
  for (const { company, size } of teams) {
    const took: number[] = [];
    // Asked before the transaction, which has the only connection.
    const pids = await backendsOf(database);
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
          const cpu = startCpuTimer(pids);
          await tx.query(
            `insert into memory.chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
             select team_id, layer_id, chunk_id, model, embedding from copied`,
          );
          took.push(cpu() / INSERTS);
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    }
    report.print(`insert of a vector, Team of ${size}: ${median(took).toFixed(2)} ms of the processor`);
  }
}
