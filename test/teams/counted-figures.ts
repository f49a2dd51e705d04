import type { Database } from '../../db/driver/database.ts';
import type { TestCompany } from '../support/needs/database.ts';

/** What the status must tell of sources, chunks and imports, counted row by row. */
export interface CountedFigures {
  sources: { active: number; archived: number; byKind: Record<string, number> };
  chunks: { total: number; embedded: number; pending: number };
  imports: Record<string, number>;
}

/**
 * Counts the rows of some layers of a Team, as the owner of the tables.
 * @param layers ids of clients, null for the Team layer
 */
export async function countRows(
  database: Database,
  { teamId }: Pick<TestCompany, 'teamId'>,
  layers: readonly (string | null)[],
): Promise<CountedFigures> {
  const values = [teamId, layers.map((layer) => layer ?? teamId)];
  const within = 't.team_id = $1 and t.layer_id = any ($2::uuid[])';
  const sources = await database.query<{ state: string; kind: string; n: number }>(
    `select t.state, t.kind, count(*) as n from memory.source t
      where ${within} and t.state in ('active', 'archived') group by 1, 2`,
    values,
  );
  const imports = await database.query<{ state: string; n: number }>(
    `select t.state, count(*) as n from memory.import t where ${within} group by 1`,
    values,
  );
  const [chunks] = await database.query<{ total: number; pending: number }>(
    `select count(*) as total, count(p.chunk_id) as pending
       from memory.chunk t
       join memory.source s on s.team_id = t.team_id and s.id = t.source_id and s.state = 'active'
       left join memory.embedding_pending p on p.team_id = t.team_id and p.chunk_id = t.id
      where ${within}`,
    values,
  );
  const { total = 0, pending = 0 } = chunks ?? {};
  const sum = (rows: readonly { n: number }[]) => rows.reduce((all, { n }) => all + n, 0);
  const active = sources.filter(({ state }) => state === 'active');
  const states = ['queued', 'running', 'completed', 'failed'];
  return {
    sources: {
      active: sum(active),
      archived: sum(sources) - sum(active),
      byKind: Object.fromEntries(active.map(({ kind, n }) => [kind, n])),
    },
    chunks: { total, embedded: total - pending, pending },
    imports: Object.fromEntries(
      states.map((state) => [state, sum(imports.filter((row) => row.state === state))]),
    ),
  };
}
