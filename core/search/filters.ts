import { type Database, transaction } from '../../db/driver/database.ts';
import { countSources } from '../../db/queries/memory/source-library.ts';
import type { SearchFilters } from '../../db/queries/search/search.ts';
import { ServiceError } from '../../shared/errors.ts';
import { readTime } from '../../shared/formats/times.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { knownId } from '../access/known-id.ts';

/**
 * The times of a search's filters.
 * @throws ServiceError `invalid_request` for a time that does not exist or is out of range
 */
export function readTimeFilters(body: SearchRequest): Pick<SearchFilters, 'createdAfter' | 'createdBefore'> {
  return {
    createdAfter: readTime(body.createdAfter, '/createdAfter'),
    createdBefore: readTime(body.createdBefore, '/createdBefore'),
  };
}

/**
 * The sources that a search is narrowed to. One may lie outside the scope that is searched, and then has no hits; one
 * that the caller cannot reach anywhere in the Team is as if it did not exist.
 * @param reach the caller's scope, not narrowed by the request
 * @throws ServiceError `not_found`
 */
export async function readSourceFilter(
  database: Database,
  reach: TeamScope,
  sourceIds: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (sourceIds === undefined) return undefined;
  const ids = [...new Set(sourceIds.map(knownId))];
  const known = await transaction(database, reach, (tx) => countSources(tx, ids));
  if (known < ids.length) throw new ServiceError('not_found');
  return ids;
}
