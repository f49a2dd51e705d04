import { lockPendingVersion, setIndexState } from '../../db/queries/workspace/file-index.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import { clientOf, type TeamScope } from '../../shared/scope.ts';
import { runAndComplete } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueAfterUnindexing, unindexFiles } from './file-jobs.ts';

/**
 * Records that a version cannot be read, and completes the job that found this. The source with the text of an earlier
 * version is removed. A version that was superseded stays as it is.
 * @param name the queue of the job: the one that reads files, or the one for jobs that used all their attempts
 * @param code stable, in snake_case
 * @throws LostJobError if another worker runs the job now
 */
export function failIndexing<Q extends 'file.index' | 'file.dead'>(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  code: string,
): Promise<void> {
  const { versionId, layerId } = job.data;
  return runAndComplete(deps, scope, name, job, {
    apply: async (tx) => {
      const file = await lockPendingVersion(tx, versionId);
      if (file === null) return { result: undefined, audit: [] };
      await setIndexState(tx, versionId, 'failed');
      const removed = await unindexFiles(tx, [file.fileId]);
      const { version, fileId } = file;
      return {
        result: undefined,
        audit: [
          {
            kind: 'workspace.index_fail',
            subjectType: 'file',
            subjectId: fileId,
            clientId: clientOf(tx.scope, layerId),
            detail: { code, version },
          },
          ...removed,
        ],
        ...(removed.length === 0
          ? {}
          : { enqueue: () => enqueueAfterUnindexing(tx, deps.queue, deps.config) }),
      };
    },
  });
}
