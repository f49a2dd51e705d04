import type { QueueName } from '../shared/queues.ts';
import type { JobHandler } from './context.ts';
import { failLostImport } from './jobs/import-dead.ts';
import { processImport } from './jobs/import-process.ts';
import { countKeywords } from './jobs/keywords-count.ts';
import { prune } from './jobs/upkeep-prune.ts';

/** Who does the jobs of which queue: the only list. */
export const HANDLERS: { readonly [Q in QueueName]: JobHandler<Q> } = {
  'import.process': processImport,
  'import.dead': failLostImport,
  'keywords.count': countKeywords,
  'upkeep.prune': prune,
};
