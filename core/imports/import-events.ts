import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import type { AuditKindOf } from '../../shared/schemas/audit-kinds.ts';
import type { Import } from '../../shared/schemas/imports.ts';

/** Returns the audit events of a decision on imports: one for each. */
export function importEvents(kind: AuditKindOf<'import'>, imports: readonly Import[]): AuditEntry[] {
  return imports.map(({ id, clientId, attempts }) => ({
    kind,
    subjectType: 'import',
    subjectId: id,
    clientId,
    detail: { attempts },
  }));
}
