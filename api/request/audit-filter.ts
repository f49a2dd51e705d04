import type { AuditFilter } from '../../db/queries/identity/audit.ts';
import { parseIdFilter } from './list-filter.ts';

/** Parses the filter of a list of audit events. */
export function parseAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: parseIdFilter(query.subjectId),
    teamId: parseIdFilter(query.teamId),
  };
}
