import { type Database, workerTransaction } from '../../db/driver/database.ts';
import { replaceLayerCounts } from '../../db/queries/search/keywords.ts';
import type { LayerId } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms.ts';
import type { JobContext } from '../../worker/context.ts';
import { countKeywords } from '../../worker/jobs/keywords-count.ts';
import type { TestCompany } from './needs/database.ts';
import { ownerScope } from './scopes.ts';

/** Counts the terms of a Team by the worker's own job, without a queue: settling it is all that is left out. */
export async function countTermsNow(database: Database, team: TestCompany): Promise<void> {
  const context = { database, queue: { settle: async () => {} } } as unknown as JobContext;
  const { companyId, teamId, ownerId: userId } = team;
  const job = { id: '', data: { companyId, teamId, userId } } as Parameters<typeof countKeywords>[0];
  await countKeywords(job, context);
}

/** Says how many chunks a layer was counted with, and in how many of them words stand: no others do. */
export async function setTermCounts(
  database: Database,
  team: TestCompany,
  {
    layer = null,
    chunks,
    words,
  }: { layer?: LayerId; chunks: number; words: Readonly<Record<string, number>> },
): Promise<void> {
  const dims = new Map<number, number>();
  const keys = new Map<number, number>();
  for (const [word, df] of Object.entries(words)) {
    const terms = queryTerms(team.teamId, word);
    for (const dim of terms.dims) dims.set(dim, df);
    for (const key of terms.keys) keys.set(key, df);
  }
  for (const step of replaceLayerCounts({ layerId: layer, chunks, sampled: chunks, dims, keys })) {
    await workerTransaction(database, ownerScope(team), step);
  }
}
