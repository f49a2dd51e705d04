import assert from 'node:assert/strict';
import { type Database, workerTransaction } from '../../db/driver/database.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import type { JobContext } from '../../worker/context.ts';
import { countKeywords, type NewCounts, storeLayerCounts } from '../../worker/jobs/search/word-counts.ts';
import type { TestCompany } from './needs/database.ts';
import { ownerScope } from './scopes.ts';

/** Counts the terms of a Team by the worker's own job, without a queue: settling it is all that is left out. */
export async function countTermsNow(database: Database, team: TestCompany): Promise<void> {
  const context = { database, queue: { complete: async () => {} } } as unknown as JobContext;
  const { companyId, teamId, ownerId: userId } = team;
  const job = { id: '', data: { companyId, teamId, userId } } as Parameters<typeof countKeywords>[0];
  await countKeywords(job, context);
}

/** Says how many chunks the Team layer was counted with, and in how many of them words stand: no others do. */
export async function setTermCounts(
  database: Database,
  team: TestCompany,
  { chunks, words }: { chunks: number; words: Readonly<Record<string, number>> },
): Promise<void> {
  const dims = new Map<number, number>();
  const keys = new Map<number, number>();
  for (const [word, df] of Object.entries(words)) {
    const terms = queryTerms(team.teamId, word);
    for (const dim of terms.dims) dims.set(dim, df);
    for (const key of terms.keys) keys.set(key, df);
  }
  assert.ok(
    await setLayerCounts(database, team, { layerId: team.teamId, chunks, sampled: chunks, dims, keys }),
  );
}

/** Counts of all chunks of a layer that had none. */
export const WHOLE = {
  gone: 0,
  whole: true,
  renewed: 0,
  least: 1,
  members: new Int32Array(),
  version: null,
} as const;

/** Stores counts of a layer as if all of its chunks had been counted. */
export async function setLayerCounts(
  database: Database,
  team: TestCompany,
  counts: Pick<NewCounts, 'layerId' | 'chunks' | 'sampled' | 'dims' | 'keys'>,
): Promise<boolean> {
  const [layer] = await database.query<{ version: number }>(
    'select version from memory.keyword_layer where team_id = $1 and layer_id = $2',
    [team.teamId, counts.layerId],
  );
  return workerTransaction(database, ownerScope(team), (tx) =>
    storeLayerCounts(tx, { ...WHOLE, version: layer?.version ?? null, ...counts }),
  );
}

/** What a row of `keyword_slice` says about one layer. */
interface StoredCount {
  /** `d` or `k`, and the number of the term. */
  term: string;
  place: number;
  count: number;
}

/** The counts that searches read. Read from the rows by SQL, and not by the code that made them. */
export async function readCounts(database: Database, { teamId }: TestCompany): Promise<StoredCount[]> {
  return database.query<StoredCount>(
    `with element as (
       select s.space, u.term, coalesce(u.place, 1) as place, u.count, s.vectors
         from memory.keyword_slice s
        cross join lateral unnest(s.terms, s.places, s.counts) u (term, place, count)
        where s.team_id = $1)
     select e.space::text || ' ' || e.term as term, e.place, e.count from element e where e.place > 0
     union all
     select e.space::text || ' ' || e.term, m[1]::int, m[2]::int
       from element e cross join lateral regexp_matches(e.vectors[e.count]::text, '([0-9]+):([0-9]+)', 'g') m
      where e.place = 0
      order by term, place`,
    [teamId],
  );
}
