import type { AuditFilter } from '../../db/queries/identity/audit.ts';
import { idOrNothing } from './list-filter.ts';

/** Parses the filter of a list of audit events. */
export function readAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: idOrNothing(query.subjectId),
    teamId: idOrNothing(query.teamId),
  };
}
