import { transaction } from '../../db/driver/database.ts';
import { jobScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';
import { recordImportFailure } from './import-failure.ts';

const FAULT = {
  code: 'import_interrupted',
  message: 'The service could not finish this import after several tries. Retry it later.',
};

/** Fails an import whose job has used all its attempts, so that it does not wait forever. */
export const failLostImport: JobHandler<'import.dead'> = async (job, { database, queue }) => {
  await transaction(database, jobScope(job.data), async (tx) => {
    await recordImportFailure(tx, job.data, FAULT);
    await queue.settle(tx, 'import.dead', job);
  });
};
