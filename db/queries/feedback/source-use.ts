import type { WorkerTransaction } from '../../driver/database.ts';

/** Uses of one source. */
export interface SourceUse {
  teamId: string;
  sourceId: string;
  found: number;
  opened: number;
  /** When it was last found; null if it was only opened. */
  foundAt: Date | null;
}

/** Adds uses of sources, of all Teams. Each source is given once. */
export async function addSourceUses(tx: WorkerTransaction, uses: readonly SourceUse[]): Promise<void> {
  const rows = uses.map(({ teamId, sourceId, found, opened, foundAt }) => ({
    team: teamId,
    source: sourceId,
    found,
    opened,
    at: foundAt,
  }));
  await tx.query('select memory.add_source_uses($1::jsonb)', [JSON.stringify(rows)]);
}
