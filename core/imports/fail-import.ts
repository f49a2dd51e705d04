import { failImport as fail } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { clientOf, type TeamScope } from '../../shared/scope.ts';
import { runAndComplete } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Fails an import that is queued or running, and completes the job that found the fault. An import that has ended stays as
 * it is.
 * @param name the queue of the job: the one that reads files, or the one for jobs that used all their attempts
 * @param error with `redactions` if the file has credentials that are not to be stored: it is deleted
 * @throws LostJobError if another worker runs the job now
 */
export function failImport<Q extends 'import.process' | 'import.dead'>(
  deps: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  { code, message, redactions }: { code: string; message: string; redactions?: readonly Redaction[] },
): Promise<void> {
  const { importId, layerId } = job.data;
  return runAndComplete(deps, scope, name, job, {
    apply: async (tx) => {
      if (!(await fail(tx, importId, { code, message, ...(redactions !== undefined && { redactions }) })))
        return { result: undefined, audit: [] };
      return {
        result: undefined,
        audit: [
          {
            kind: 'memory.import_fail',
            subjectType: 'import',
            subjectId: importId,
            clientId: clientOf(tx.scope, layerId),
            detail: { code },
          },
        ],
      };
    },
  });
}
