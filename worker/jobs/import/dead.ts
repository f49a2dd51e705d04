import { failImport } from '../../../core/imports/fail-import.ts';
import { jobScope } from '../../../shared/scope.ts';
import type { JobHandler } from '../../context.ts';

const FAULT = {
  code: 'import_interrupted',
  message: 'The service could not finish this import after several tries. Retry it later.',
};

/** Fails an import whose job has used all its attempts, so that it does not wait forever. */
export const failLostImport: JobHandler<'import.dead'> = (job, context) =>
  failImport(context, jobScope(job.data), 'import.dead', job, FAULT);
