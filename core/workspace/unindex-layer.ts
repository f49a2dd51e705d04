import { resetIndexStates } from '../../db/queries/workspace/file-index.ts';
import type { FileSource } from '../../db/queries/workspace/upkeep.ts';
import { layerPrefix } from '../../shared/formats/workspace-path.ts';
import { clientOf, layerScope } from '../../shared/scope.ts';
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
  layer: Pick<FileSource, 'companyId' | 'teamId' | 'layerId'>,
  files: readonly Pick<FileSource, 'fileId' | 'uri'>[],
): Promise<void> {
  const { layerId } = layer;
  const prefix = `${layerPrefix(clientOf(layer, layerId))}/`;
  await runCommand(database, layerScope(layer), {
    // The versions before the sources, as a push locks them.
    lock: (tx) =>
      resetIndexStates(
        tx,
        layerId,
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
