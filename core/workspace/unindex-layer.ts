import { resetIndexStates } from '../../db/queries/workspace/file-index.ts';
import type { FileSource } from '../../db/queries/workspace/upkeep.ts';
import { layerPrefix } from '../../shared/formats/workspace-path.ts';
import { layerScope } from '../../shared/scope.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueAfterUnindexing, unindexFiles } from './file-jobs.ts';

/**
 * Unindexes files of one layer, because the service no longer indexes files. Upkeep decides on the files again
 * when it does.
 * @param files all of one layer
 */
export async function unindexLayer(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  layer: Pick<FileSource, 'companyId' | 'teamId' | 'clientId'>,
  files: readonly Pick<FileSource, 'fileId' | 'uri'>[],
): Promise<void> {
  const { companyId, teamId, clientId } = layer;
  const prefix = `${layerPrefix(clientId)}/`;
  await runCommand(database, layerScope({ companyId, teamId, clientId }), {
    // The versions before the sources, as a push locks them.
    lock: (tx) =>
      resetIndexStates(
        tx,
        clientId,
        files.map(({ uri }) => uri.slice(prefix.length)),
      ),
    apply: async (tx) => ({
      result: undefined,
      audit: await unindexFiles(
        tx,
        files.map(({ fileId }) => fileId),
      ),
      enqueue: () => enqueueAfterUnindexing(tx, queue, config),
    }),
  });
}
