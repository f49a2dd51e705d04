import type { QueueName } from '../shared/queues.ts';
import type { JobHandler } from './context.ts';
import { sealAuditEvents } from './jobs/audit-seal.ts';
import { releaseLapsedCaptures } from './jobs/captures-release.ts';
import { embedChunks } from './jobs/embed-chunks.ts';
import { embedQuery } from './jobs/embed-query.ts';
import { queueWaitingLayers } from './jobs/embed-waiting.ts';
import { backfillPending } from './jobs/embeddings-backfill.ts';
import { failLostImport } from './jobs/import-dead.ts';
import { processImport } from './jobs/import-process.ts';
import { countKeywords } from './jobs/keywords-count.ts';
import { purgeDeletedTeam } from './jobs/team-purge.ts';
import { pruneOld } from './jobs/upkeep-prune.ts';
import { pruneWorkspace } from './jobs/workspace-prune.ts';

/** The handler of each queue: the only list. */
export const HANDLERS: { readonly [Q in QueueName]: JobHandler<Q> } = {
  'import.process': processImport,
  'import.dead': failLostImport,
  'audit.seal': sealAuditEvents,
  'captures.release': releaseLapsedCaptures,
  'embed.query': embedQuery,
  'embed.chunks': embedChunks,
  'embed.waiting': queueWaitingLayers,
  'embeddings.backfill': backfillPending,
  'keywords.count': countKeywords,
  'team.purge': purgeDeletedTeam,
  'upkeep.prune': pruneOld,
  'workspace.prune': pruneWorkspace,
};

/**
 * How many jobs of a queue one worker does at once. One model makes all vectors: the takers of its queues have the next
 * text ready when it is done with one.
 */
export const CONCURRENCY: { readonly [Q in QueueName]: number } = {
  'import.process': 3,
  'import.dead': 1,
  'audit.seal': 1,
  'captures.release': 1,
  'embed.query': 4,
  'embed.chunks': 2,
  'embed.waiting': 1,
  'embeddings.backfill': 1,
  'keywords.count': 1,
  'team.purge': 1,
  'upkeep.prune': 1,
  'workspace.prune': 1,
};

/**
 * How many of the long jobs of a queue one worker does at once, beside the others. A job becomes long when it has run
 * for a while and another Company waits. So the others are never all taken by jobs that do not end.
 */
export const LONG_JOB_CONCURRENCY: Readonly<Partial<Record<QueueName, number>>> = { 'import.process': 1 };

/** How many jobs of a queue one worker does at once for one Company, long ones included. */
export const TAKERS_FOR_A_COMPANY: Readonly<Partial<Record<QueueName, number>>> = { 'import.process': 3 };

/** Queues of a service that makes vectors. */
export const EMBEDDING_QUEUES: readonly QueueName[] = ['embed.query', 'embed.chunks', 'embed.waiting'];

const EVERY_MINUTE = '* * * * *';
const EVERY_TEN_MINUTES = '*/10 * * * *';
const EVERY_HOUR = '27 * * * *';

/** Jobs that no request asks for, as cron has it. Each goes over all Teams and carries nothing. */
export const SCHEDULES: Readonly<Partial<Record<QueueName, string>>> = {
  'embed.waiting': EVERY_MINUTE,
  'audit.seal': EVERY_MINUTE,
  'captures.release': EVERY_MINUTE,
  'embeddings.backfill': EVERY_TEN_MINUTES,
  'upkeep.prune': EVERY_TEN_MINUTES,
  'workspace.prune': EVERY_HOUR,
};
