import { type Database, readOnce } from '../../db/driver/database.ts';
import { countSources } from '../../db/queries/memory/source-library.ts';
import type { SearchFilters } from '../../db/queries/search/search.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type OccurredBounds, parseOccurredBounds, parseTime } from '../../shared/formats/times.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { parseId } from '../access/parse-id.ts';

/**
 * Parses the time filters of a search.
 * @throws ServiceError `invalid_request` for a time that does not exist or is out of range
 */
export function parseTimeFilters(
  body: SearchRequest,
): Pick<SearchFilters, 'createdAfter' | 'createdBefore' | keyof OccurredBounds> {
  return {
    ...parseOccurredBounds(body),
    createdAfter: parseTime(body.createdAfter, '/createdAfter'),
    createdBefore: parseTime(body.createdBefore, '/createdBefore'),
  };
}

/**
 * Returns the distinct ids of the sources that a search is narrowed to, or undefined if it is not. A source outside the
 * scope that is searched has no hits. A source that the caller cannot read anywhere in the Team is not found.
 * @param reach the scope of the caller, not narrowed by the request
 * @throws ServiceError `not_found`
 */
export async function findSourceFilter(
  database: Database,
  reach: TeamScope,
  sourceIds: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (sourceIds === undefined) return undefined;
  const ids = [...new Set(sourceIds.map(parseId))];
  const known = await readOnce(database, reach, (tx) => countSources(tx, ids));
  if (known < ids.length) throw new ServiceError('not_found');
  return ids;
}
