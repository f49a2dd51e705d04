import { Type } from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';

/** The path of one thing. */
export const IdParams = Type.Object({ id: Type.String() });
/** The path of one person. */
export const UserParams = Type.Object({ userId: Type.String() });

/**
 * An id of a path or body, in lower case, which may be compared with a uuid column.
 * @throws ServiceError `not_found` for one that cannot be of anything: the same answer as for one that is unknown
 */
export function knownId(id: string): string {
  if (!isId(id)) throw new ServiceError('not_found');
  return id.toLowerCase();
}
