import type { Database } from '../../db/driver/database.ts';
import { halfvecBinary } from '../../db/driver/wire-format.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { TEST_MODEL_NAME, type TestCompany } from '../../test/support/needs/database.ts';
import type { Report } from './report.ts';
import { prepareSearch, WORDLESS } from './searches.ts';

const TOP = 10;

interface MeasuredTeam {
  size: number;
  company: TestCompany;
  clients: readonly string[];
}

/**
 * The nearest chunks of each layer, nearest first, by comparing all vectors of the Team in full. The nearest of any scope are
 * among them: one scan answers for all scopes.
 */
async function nearestExactly(
  database: Database,
  { company: { teamId }, clients }: MeasuredTeam,
  query: Float32Array,
): Promise<{ id: string; layer: string }[]> {
  const layers = [teamId, ...clients];
  const scans = layers.map(
    (_, index) => `(select chunk_id as id, layer_id as layer, embedding <#> $1::halfvec as distance
        from memory.chunk_embedding where team_id = $2 and model = $3 and layer_id = $${index + 4}
       order by embedding <#> $1::halfvec, chunk_id limit ${TOP})`,
  );
  return database.query(
    `select id, layer from (${scans.join(' union all ')}) nearest order by distance, id`,
    [halfvecBinary(query), teamId, TEST_MODEL_NAME, ...layers],
  );
}

/** What the search by vectors finds of the ten nearest, in every scope. Held, and so is how many hits it returns. */
export async function measureRecall(
  database: Database,
  team: MeasuredTeam,
  scopes: readonly (readonly [name: string, scope: TeamScope, least: number])[],
  { queries, vector }: { queries: number; vector: (nth: number) => Float32Array },
  report: Report,
): Promise<void> {
  const tallies = scopes.map(() => ({ found: 0, wanted: 0, short: 0 }));
  for (let nth = 0; nth < queries; nth += 1) {
    const embedding = vector(nth);
    const nearest = await nearestExactly(database, team, embedding);
    for (const [index, tally] of tallies.entries()) {
      const [, scope] = scopes[index]!;
      const hits = await prepareSearch(database, scope, { query: WORDLESS, embedding }, TOP)();
      const found = new Set(hits.map((hit) => hit.chunk_id));
      const wanted = nearest.filter(({ layer }) => scope.reads.includes(layer)).slice(0, TOP);
      tally.wanted += wanted.length;
      tally.found += wanted.filter(({ id }) => found.has(id)).length;
      // As many are wanted as the scope has, up to ten.
      if (found.size !== wanted.length) tally.short += 1;
    }
  }
  report.print();
  report.row(`recall@${TOP}, ${queries} queries`, ['recall', 'too few']);
  for (const [index, { found, wanted, short }] of tallies.entries()) {
    const [name, , least] = scopes[index]!;
    const where = `${team.size} passages, ${name}`;
    report.hold(`${where}: answers with too few hits`, short, 1);
    const held = report.holdAtLeast(`${where}: recall@${TOP}`, found / wanted, least);
    report.row(`  ${where}`, [found / wanted, String(short)], held, 4);
  }
}
