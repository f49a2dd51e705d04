import { layerKey } from '../../core/sources/enqueue-indexing.ts';
import { asWorker } from '../../db/driver/database.ts';
import { listLayersWithoutVectors } from '../../db/queries/memory/upkeep.ts';
import type { JobHandler } from '../context.ts';

/**
 * Queues the jobs of layers in which chunks wait for a vector: those from before the service made any, those that a
 * client leased and never sent, those whose job was given up, and new ones whose writer took a waiting job for its own
 * in the very moment in which that ran.
 */
export const queueWaitingLayers: JobHandler<'embed.waiting'> = async (job, { database, queue }) => {
  for (const layer of await asWorker(database, listLayersWithoutVectors)) {
    // Each for itself: one that waits for another transaction holds up no others.
    await asWorker(database, (tx) =>
      queue.send(tx, 'embed.chunks', layer, { key: layerKey(layer.teamId, layer.clientId) }),
    );
  }
  await asWorker(database, (tx) => queue.settle(tx, 'embed.waiting', job));
};
