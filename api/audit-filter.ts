import type { AuditFilter } from '../db/queries/audit.ts';
import { isId } from '../shared/ids.ts';
import { readPage } from './pagination.ts';

/** An id that nothing has: what is asked for by a malformed id is not there. */
const NOTHING = '00000000-0000-0000-0000-000000000000';
const idOrNothing = (id: string | undefined) => (id === undefined ? null : isId(id) ? id : NOTHING);

/**
 * Reads the query of a list of audit events. `limit` is that of the page.
 * @throws ServiceError `invalid_request`
 */
export function readAuditFilter(query: {
  limit?: string;
  cursor?: string;
  kind?: string;
  subjectId?: string;
  teamId?: string;
}): AuditFilter {
  return {
    ...readPage(query),
    kind: query.kind ?? null,
    subjectId: idOrNothing(query.subjectId),
    teamId: idOrNothing(query.teamId),
  };
}
