import { type Database, readOnce } from '../../../db/driver/database.ts';
import { knownKeys } from '../../../db/queries/search/nothing.ts';
import type { Config } from '../../../shared/config.ts';
import type { Nothing } from '../../../shared/schemas/explanation.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { keysOf, typedWords, unknownWords } from '../../../shared/text/terms/typed-words.ts';
import { findNearestTitle } from './nearest-title.ts';
import { findWaitingNames } from './waiting-names.ts';

/** A search that has found nothing. */
export interface FruitlessSearch {
  /** What was searched. The filters of the search do not restrict what is described. */
  scope: TeamScope;
  query: string;
  /** Whether a vector of the query was compared. */
  hasVector: boolean;
}

/** Describes why a search has found nothing, and what to try, by what its scope can read. */
export async function describeNothing(
  database: Database,
  config: Pick<Config, 'indexFiles'>,
  { scope, query, hasVector }: FruitlessSearch,
): Promise<Nothing> {
  const words = typedWords(scope.teamId, query);
  const known = await readOnce(database, scope, (tx) => knownKeys(tx, keysOf(words)));
  return {
    legs: [
      ...(words.some(({ isCode }) => !isCode) ? (['words'] as const) : []),
      ...(words.some(({ isCode }) => isCode) ? (['codes'] as const) : []),
      ...(hasVector ? (['vectors'] as const) : []),
    ],
    unknownWords: unknownWords(words, known),
    waiting: await findWaitingNames(database, config, scope, query),
    nearest: await findNearestTitle(database, scope, query),
  };
}
