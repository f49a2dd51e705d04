import { failIndexing } from '../../../core/workspace/fail-indexing.ts';
import { jobScope } from '../../../shared/scope.ts';
import type { JobHandler } from '../../context.ts';

/** Marks a file whose job has used all its attempts as failed, so that it is not pending forever. */
export const failLostFile: JobHandler<'file.dead'> = (job, context) =>
  failIndexing(context, jobScope(job.data), 'file.dead', job, 'index_interrupted');
