import type { QueueName } from '../shared/queues.ts';
import type { JobHandler } from './context.ts';
import { backfillPending } from './jobs/embeddings-backfill.ts';
import { failLostImport } from './jobs/import-dead.ts';
import { processImport } from './jobs/import-process.ts';
import { countKeywords } from './jobs/keywords-count.ts';
import { purgeDeletedTeam } from './jobs/team-purge.ts';
import { pruneOld } from './jobs/upkeep-prune.ts';

/** Who does the jobs of which queue: the only list. */
export const HANDLERS: { readonly [Q in QueueName]: JobHandler<Q> } = {
  'import.process': processImport,
  'import.dead': failLostImport,
  'embeddings.backfill': backfillPending,
  'keywords.count': countKeywords,
  'team.purge': purgeDeletedTeam,
  'upkeep.prune': pruneOld,
};

/** How many jobs of a queue one worker does at once. */
export const TAKERS: { readonly [Q in QueueName]: number } = {
  'import.process': 4,
  'import.dead': 1,
  'embeddings.backfill': 1,
  'keywords.count': 1,
  'team.purge': 1,
  'upkeep.prune': 1,
};
