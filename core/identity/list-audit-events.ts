import { readOnce } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { type AuditFilter, listAuditEvents as selectAuditEvents } from '../../db/queries/identity/audit.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { Scope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Lists audit events, newest first: those of the Company, or, in a Team's scope, those of the Team that the caller can
 * read. For callers who can read the audit.
 */
export function listAuditEvents(
  { database }: Pick<Dependencies, 'database'>,
  scope: Scope,
  part: ListPart,
  filter: AuditFilter,
): Promise<AuditEvent[]> {
  return readOnce(database, scope, (tx) => selectAuditEvents(tx, part, filter));
}
