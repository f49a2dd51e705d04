import { layerKey } from '../../../core/sources/enqueue-indexing.ts';
import { asWorker } from '../../../db/driver/database.ts';
import { listLayersWithoutVectors } from '../../../db/queries/memory/upkeep.ts';
import type { JobHandler } from '../../context.ts';

/**
 * Enqueues jobs for layers in which chunks wait for a vector without a job. Such chunks were stored before the service
 * made vectors, or were leased by a program that never sent them, or their job failed, or they were stored just when the
 * waiting job of their layer started.
 */
export const queueWaitingLayers: JobHandler<'embed.waiting'> = async (job, { database, queue }) => {
  for (const layer of await asWorker(database, listLayersWithoutVectors)) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, (tx) =>
      queue.enqueue(tx, 'embed.chunks', layer, { key: layerKey(layer.teamId, layer.layerId) }),
    );
  }
  await asWorker(database, (tx) => queue.complete(tx, 'embed.waiting', job));
};
