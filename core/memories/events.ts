import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import type { AuditKindOf } from '../../shared/schemas/audit-kinds.ts';
import type { Memory } from '../../shared/schemas/library.ts';

/** The event of a change to one memory. */
export function memoryEvent(
  kind: AuditKindOf<'memory'>,
  { id, clientId, version }: Pick<Memory, 'id' | 'clientId' | 'version'>,
  detail: Record<string, unknown> = {},
): AuditEntry {
  return { kind, subjectType: 'memory', subjectId: id, clientId, detail: { version, ...detail } };
}

/**
 * The events of a change to captures of a batch: one for each layer. When a client is archived, the events of its captures
 * leave the audit list with it.
 */
export function captureEvents(
  kind: 'memory.claim' | 'memory.release' | 'memory.discard',
  batchId: string,
  captures: readonly { id: string; clientId: string | null }[],
): AuditEntry[] {
  return [...Map.groupBy(captures, ({ clientId }) => clientId)].map(([clientId, own]) => ({
    kind,
    subjectType: 'batch',
    subjectId: batchId,
    clientId,
    detail: { captureIds: own.map(({ id }) => id) },
  }));
}
