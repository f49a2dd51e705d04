import { transaction } from '../../db/database.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import { failImport } from '../../db/queries/imports.ts';
import { jobScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

const FAULT = {
  code: 'import_interrupted',
  message: 'The service could not finish this import after several tries. Retry it later.',
};

/** Fails an import whose job was tried as often as it may be, so that it does not wait for ever. */
export const failLostImport: JobHandler<'import.dead'> = async (job, { database, queue }) => {
  const { importId, clientId } = job.data;
  await transaction(database, jobScope(job.data), async (tx) => {
    if (await failImport(tx, importId, FAULT)) {
      await insertAuditEvents(tx, [
        {
          kind: 'memory.import_fail',
          subjectType: 'import',
          subjectId: importId,
          layer: clientId,
          detail: { code: FAULT.code },
        },
      ]);
    }
    await queue.settle(tx, 'import.dead', job);
  });
};
