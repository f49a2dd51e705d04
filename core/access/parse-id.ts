import { ServiceError } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';

/**
 * An id of a path or body, in lower case, which may be compared with a uuid column.
 * @throws ServiceError `not_found` for one that cannot be of anything: the same answer as for one that is unknown
 */
export function parseId(id: string): string {
  if (!isId(id)) throw new ServiceError('not_found');
  return id.toLowerCase();
}
