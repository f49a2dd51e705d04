import { type Database, transaction } from '../../db/driver/database.ts';
import { countCandidates } from '../../db/queries/search/explain-counts.ts';
import type { SearchTrace } from '../../db/queries/search/search-explained.ts';
import type { SearchExplanation } from '../../shared/schemas/explanation.ts';
import { otherLayers, type TeamScope } from '../../shared/scope.ts';
import type { InnerExplanation } from './explanation.ts';

/** A search that has run and is explained. */
export interface ExplainedSearch {
  /** What the caller can read. */
  reach: TeamScope;
  /** What was searched. */
  scope: TeamScope;
  trace: SearchTrace;
}

/** Candidates in other layers are not counted further. */
const MAX_OTHER_CANDIDATES = 5000;

/**
 * Completes the explanation of a search with what its scope leaves out: the candidates in other layers. This is
 * a read of its own, because the search reads nothing outside of its scope.
 */
export async function explainOutside(
  database: Database,
  search: ExplainedSearch,
  explain: InnerExplanation,
): Promise<SearchExplanation> {
  return {
    ...explain,
    otherLayers: await countOtherCandidates(database, search),
  };
}

async function countOtherCandidates(
  database: Database,
  { reach, scope, trace }: ExplainedSearch,
): Promise<SearchExplanation['otherLayers']> {
  const others = otherLayers(reach, scope);
  const keys = trace.keyword.keysRead;
  if (others === null || keys.length === 0) return { candidates: 0 };
  const counted = await transaction(database, others, (tx) =>
    countCandidates(tx, keys, MAX_OTHER_CANDIDATES + 1),
  );
  if (counted <= MAX_OTHER_CANDIDATES) return { candidates: counted };
  return { candidates: MAX_OTHER_CANDIDATES, limited: true };
}
