import { MEMORY_STATES, type MemoryState } from '../../../shared/memory-states.ts';
import type { Capture } from '../../../shared/schemas/consolidation.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import { TERMS_VERSION } from '../../../shared/text/terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';
import { IMPORT_COLUMNS, type ImportRow, toImport } from '../memory/imports.ts';

/** How many records there are that the scope can read. */
export interface TeamFigures {
  /** Expired records that a job has not archived yet. They count as archived in the other figures. */
  expired: number;
  sources: { active: number; archived: number; byKind: Record<string, number> };
  chunks: { total: number; embedded: number; pending: number };
  terms: { outdated: number };
  imports: { queued: number; running: number; completed: number; failed: number };
  captures: Record<Capture['state'], number>;
  memories: Record<MemoryState, number>;
}

/** The number of records of a state and kind, which are null for a part without them. Several rows must be summed. */
interface Figure {
  part: 'expired' | 'sources' | 'chunks' | 'pending' | 'outdated' | 'imports' | 'captures' | 'memories';
  state: string | null;
  kind: string | null;
  n: number;
}

/**
 * Counts the records that the scope can read, exactly: `team_figures` sums the changes that triggers recorded for the
 * layers of the claims. A capture whose lease has expired counts as staged.
 */
export async function countTeamFigures(tx: TeamTransaction): Promise<TeamFigures> {
  const figures = await tx.query<Figure>('select part, state, kind, n from memory.team_figures($1)', [
    TERMS_VERSION,
  ]);
  const of = (part: Figure['part'], state: string | null = null) =>
    figures.filter((figure) => figure.part === part && (state === null || figure.state === state));
  const sum = (rows: readonly Figure[]) => rows.reduce((total, row) => total + row.n, 0);
  const byState = <State extends string>(part: Figure['part'], states: readonly State[]) =>
    Object.fromEntries(states.map((state) => [state, sum(of(part, state))])) as Record<State, number>;
  const total = sum(of('chunks'));
  const pending = sum(of('pending'));
  return {
    expired: sum(of('expired')),
    sources: {
      ...byState('sources', ['active', 'archived']),
      byKind: sumByKind(of('sources', 'active')),
    },
    chunks: { total, embedded: total - pending, pending },
    terms: { outdated: sum(of('outdated')) },
    imports: byState('imports', ['queued', 'running', 'completed', 'failed']),
    captures: byState('captures', ['staged', 'claimed', 'completed']),
    memories: byState('memories', MEMORY_STATES),
  };
}

function sumByKind(figures: readonly Figure[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, n } of figures) sums[kind ?? ''] = (sums[kind ?? ''] ?? 0) + n;
  return Object.fromEntries(Object.entries(sums).filter(([, n]) => n !== 0));
}

/** Lists the latest failed imports within the scope, newest first. */
export async function listLatestFailures(tx: TeamTransaction, limit: number): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i
      where ${inScope('i')} and i.id = any (array(select memory.latest_failures($3))) order by i.id desc`,
    [...scopeValues(tx.scope), limit],
  );
  return rows.map(toImport);
}
