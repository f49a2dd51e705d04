import type { TeamTransaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { failImport } from '../../db/queries/memory/imports.ts';
import type { Payload } from '../../shared/queues.ts';

/** Fails an import with a code and a message, and records an audit event, if the import is queued or running. */
export async function recordImportFailure(
  tx: TeamTransaction,
  { importId, clientId }: Payload<'import.process'>,
  { code, message }: { code: string; message: string },
): Promise<void> {
  if (!(await failImport(tx, importId, { code, message }))) return;
  insertAuditEvents(tx, [
    {
      kind: 'memory.import_fail',
      subjectType: 'import',
      subjectId: importId,
      layer: clientId,
      detail: { code },
    },
  ]);
}
