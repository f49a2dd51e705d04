import { type Database, transaction } from '../../db/driver/database.ts';
import { halfvecBinary } from '../../db/driver/wire-format.ts';
import { searchChunks } from '../../db/queries/search/search.ts';
import type { LayerId, TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import type { SearchReport } from './report.ts';

const QUERIES = 100;
const TOP = 10;
/** Of the ten nearest by an exact scan, what the vector leg finds, at least. */
const LEAST_RECALL = 0.99;
/** No word: the vector leg alone answers. */
const WORDLESS = '?';

/** A chunk's layer and how far it is from the query: the negative inner product, so less is nearer. */
interface Near {
  id: string;
  layer: LayerId;
  distance: number;
}

/**
 * The nearest of each layer by an exact scan, as the tables' owner. The nearest of any scope are among them: one scan
 * answers for all scopes.
 */
async function scanExactly(database: Database, team: FilledTeam, query: Float32Array): Promise<Near[]> {
  const nearest = (layer: string) =>
    `(select chunk_id as id, layer_id as layer, embedding <#> $1::halfvec as distance
        from memory.chunk_embedding where team_id = $2 and model = $3 and ${layer}
       order by embedding <#> $1::halfvec, chunk_id limit ${TOP})`;
  const layers = [team.company.teamId, ...team.clients];
  const scans = layers.map((_, index) => nearest(`layer_id = $${index + 4}`));
  return database.query<Near>(scans.join(' union all '), [
    halfvecBinary(query),
    team.company.teamId,
    TEST_MODEL_NAME,
    ...layers,
  ]);
}

/** How many chunks with vectors lie in the scope. */
async function countRows(database: Database, scope: TeamScope): Promise<number> {
  const [row] = await database.query<{ rows: number }>(
    `select count(*) as rows from memory.chunk_embedding e
      where team_id = $1 and layer_id = any ($2::uuid[])`,
    [scope.teamId, scope.reads],
  );
  return row?.rows ?? 0;
}

function within(scope: TeamScope, { layer }: Near): boolean {
  return scope.reads.includes(layer);
}

/** What the vector leg finds of the ten nearest, in every scope of a Team. Held, and so is how many it returns. */
export async function measureRecall(
  database: Database,
  team: FilledTeam,
  report: SearchReport,
): Promise<void> {
  const { whole, clients, teamAndClient } = team.scopes;
  const scopes: [string, TeamScope][] = [
    ['whole Team', whole],
    ['Team layer and client 1', teamAndClient],
    ...clients.map((scope, index): [string, TeamScope] => [`client ${index + 1} alone`, scope]),
  ];
  const tallies = await Promise.all(
    scopes.map(async ([name, scope]) => ({
      name,
      scope,
      rows: await countRows(database, scope),
      found: 0,
      wanted: 0,
      short: 0,
    })),
  );
  for (let asked = 0; asked < QUERIES; asked += 1) {
    const query = team.vectors.vector();
    const nearest = await scanExactly(database, team, query);
    nearest.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1));
    for (const tally of tallies) {
      const { scope } = tally;
      const hits = await transaction(database, scope, (tx) =>
        searchChunks(tx, {
          terms: queryTerms(scope.teamId, WORDLESS),
          embedding: query,
          model: TEST_MODEL_NAME,
          topK: TOP,
        }),
      );
      const found = new Set(hits.map((hit) => hit.chunk_id));
      const wanted = nearest.filter((near) => within(scope, near)).slice(0, TOP);
      tally.wanted += wanted.length;
      tally.found += wanted.filter(({ id }) => found.has(id)).length;
      if (found.size !== Math.min(TOP, tally.rows)) tally.short += 1;
    }
  }
  report.print('');
  report.row(`recall@${TOP}, a Team of ${team.size}`, ['chunks', 'recall', 'too few']);
  for (const { name, rows, found, wanted, short } of tallies) {
    const recall = found / wanted;
    const where = `${team.size} passages, ${name}`;
    const held = report.holdAtLeast(`${where}: recall@${TOP}`, recall, LEAST_RECALL);
    report.hold(`${where}: answers with too few hits`, short, 1);
    report.row(name, [String(rows), recall.toFixed(4), String(short)], held);
  }
}
