import type { QueueName } from '../shared/queues.ts';
import type { JobHandler } from './context.ts';
import { pruneAuditedSearches } from './jobs/audit-prune.ts';
import { sealAuditEvents } from './jobs/audit-seal.ts';
import { releaseLapsedCaptures } from './jobs/captures-release.ts';
import { backfillPending } from './jobs/embed/backfill.ts';
import { embedChunks } from './jobs/embed/chunks.ts';
import { embedQuery } from './jobs/embed/query.ts';
import { queueWaitingLayers } from './jobs/embed/waiting.ts';
import { failLostFile } from './jobs/file/dead.ts';
import { indexFile } from './jobs/file/process.ts';
import { queueWaitingFiles } from './jobs/file/waiting.ts';
import { buildVectorGraphs } from './jobs/graphs-build.ts';
import { failLostImport } from './jobs/import/dead.ts';
import { processImport } from './jobs/import/process.ts';
import { countKeywords } from './jobs/keywords-count.ts';
import { pruneUnusedObjects } from './jobs/objects-prune.ts';
import { expireDueRecords } from './jobs/records-expire.ts';
import { purgeDeletedTeam } from './jobs/team-purge.ts';
import { queueOutdatedTeams } from './jobs/terms-outdated.ts';
import { renewTerms } from './jobs/terms-renew.ts';
import { pruneOld } from './jobs/upkeep-prune.ts';
import { pruneWorkspace } from './jobs/workspace-prune.ts';

/** The handler of each queue. Everything else about a queue is in shared/queues.ts. */
export const HANDLERS: { readonly [Q in QueueName]: JobHandler<Q> } = {
  'import.process': processImport,
  'import.dead': failLostImport,
  'audit.prune': pruneAuditedSearches,
  'audit.seal': sealAuditEvents,
  'captures.release': releaseLapsedCaptures,
  'embed.query': embedQuery,
  'embed.chunks': embedChunks,
  'embed.waiting': queueWaitingLayers,
  'embeddings.backfill': backfillPending,
  'file.index': indexFile,
  'file.dead': failLostFile,
  'file.waiting': queueWaitingFiles,
  'graphs.build': buildVectorGraphs,
  'keywords.count': countKeywords,
  'objects.prune': pruneUnusedObjects,
  'records.expire': expireDueRecords,
  'team.purge': purgeDeletedTeam,
  'terms.outdated': queueOutdatedTeams,
  'terms.renew': renewTerms,
  'upkeep.prune': pruneOld,
  'workspace.prune': pruneWorkspace,
};
