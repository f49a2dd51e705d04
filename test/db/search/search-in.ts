import { type Database, transaction } from '../../../db/driver/database.ts';
import { type SearchFilters, searchExplained } from '../../../db/queries/search/search.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { TEST_MODEL_NAME } from '../../support/needs/database.ts';

/** Searches within a scope by words and, if one is given, by a vector. */
export function searchIn(
  database: Database,
  scope: TeamScope,
  query: string,
  options: SearchFilters & { embedding?: Float32Array | null; topK?: number } = {},
) {
  const terms = queryTerms(scope.teamId, query);
  return transaction(database, scope, (tx) =>
    searchExplained(tx, { terms, embedding: null, model: TEST_MODEL_NAME, topK: 50, ...options }),
  );
}
