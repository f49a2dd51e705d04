import type { AuditFilter } from '../../db/queries/identity/audit.ts';
import { idOrNothing } from './list-filter.ts';

/** Reads what a list of audit events is narrowed to. */
export function readAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: idOrNothing(query.subjectId),
    teamId: idOrNothing(query.teamId),
  };
}
