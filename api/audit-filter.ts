import type { AuditFilter } from '../db/queries/audit.ts';
import { isId } from '../shared/ids.ts';

/** An id that nothing has: what is asked for by a malformed id is not there. */
const NOTHING = '00000000-0000-0000-0000-000000000000';

/** The id that a list is narrowed to: null where none is asked for, and nothing's own for a malformed one. */
export function idOrNothing(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isId(id) ? id : NOTHING;
}

/** Reads what a list of audit events is narrowed to. */
export function readAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: idOrNothing(query.subjectId),
    teamId: idOrNothing(query.teamId),
  };
}
