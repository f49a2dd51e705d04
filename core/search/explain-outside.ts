import { type Database, transaction } from '../../db/driver/database.ts';
import { countCandidates } from '../../db/queries/search/explain-counts.ts';
import type { SearchExplanation } from '../../shared/schemas/explanation.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import { otherLayers } from '../../shared/scope.ts';
import { type ExplainedSearch, explainSource } from './explain-source.ts';
import type { InnerExplanation } from './explanation.ts';

/** Candidates in other layers are not counted further. */
const MAX_OTHER_CANDIDATES = 5000;

/**
 * Completes the explanation of a search with what its scope leaves out: the candidates in other layers, and why a source is
 * not among the hits. These are reads of their own, because the search reads nothing outside of its scope.
 * @param source that the caller can read, or null
 */
export async function explainOutside(
  database: Database,
  search: ExplainedSearch,
  explain: InnerExplanation,
  source: Source | null,
): Promise<SearchExplanation> {
  return {
    ...explain,
    otherLayers: await countOtherCandidates(database, search),
    ...(source === null ? {} : { source: await explainSource(database, search, source) }),
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
