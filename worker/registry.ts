import { asWorker, withoutScope } from '../db/driver/database.ts';
import { uncountedTeams } from '../db/queries/search/terms.ts';
import { listWorkers } from '../db/queries/status.ts';
import { EMBEDDING_QUEUES, type QueueName, queueDefinition } from '../shared/queues.ts';
import { NOBODY } from '../shared/scope.ts';
import type { JobHandler, WorkerSetup } from './context.ts';
import { pruneAuditedSearches, sealAuditEvents } from './jobs/audit.ts';
import { releaseLapsedCaptures } from './jobs/captures.ts';
import {
  backfillPending,
  buildVectorGraphs,
  embedChunks,
  embedQuery,
  queueWaitingLayers,
} from './jobs/embeddings.ts';
import { failLostImport, processImport } from './jobs/imports.ts';
import { remindOfTokens, sendMail, sendResetLinks } from './jobs/mail.ts';
import { queueOutdatedTeams, renewTerms } from './jobs/search/terms.ts';
import { countKeywords } from './jobs/search/word-counts.ts';
import { expireDueRecords } from './jobs/sources.ts';
import { purgeDeletedTeam } from './jobs/teams.ts';
import { pruneOld } from './jobs/upkeep.ts';
import {
  failLostFile,
  indexFile,
  pruneUnusedObjects,
  pruneWorkspace,
  queueWaitingFiles,
} from './jobs/workspace.ts';

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
  'mail.remind': remindOfTokens,
  'mail.reset': sendResetLinks,
  'mail.send': sendMail,
  'objects.prune': pruneUnusedObjects,
  'records.expire': expireDueRecords,
  'team.purge': purgeDeletedTeam,
  'terms.outdated': queueOutdatedTeams,
  'terms.renew': renewTerms,
  'upkeep.prune': pruneOld,
  'workspace.prune': pruneWorkspace,
};

/** Jobs that a change of settings can make necessary. They are also enqueued at startup. */
const AT_START: readonly QueueName[] = [
  'audit.prune',
  'embeddings.backfill',
  'embed.waiting',
  'file.waiting',
];

/** Schedules the jobs of these queues that no request enqueues, and enqueues some of them now. */
export async function scheduleJobs(setup: WorkerSetup, queues: readonly QueueName[]): Promise<void> {
  const { queue, database } = setup;
  for (const name of queues) {
    const { schedule } = queueDefinition(name);
    if (schedule !== undefined) await queue.boss.schedule(name, schedule, {});
  }
  for (const name of AT_START) {
    if (queues.includes(name)) await withoutScope(database, (tx) => queue.enqueue(tx, name, {}));
  }
  if (queues.includes('keywords.count')) await countUncounted(setup);
  if (!setup.config.serverEmbeddings) await endServerEmbeddings(setup);
}

/** Teams that one statement looks at. */
const MAX_TEAMS_PER_PAGE = 1000;

/** Enqueues the count of Teams without counts: a Team without writes would get none. */
async function countUncounted({ database, queue }: WorkerSetup): Promise<void> {
  let after: string | null = null;
  do {
    const page = await asWorker(database, (tx) => uncountedTeams(tx, after, MAX_TEAMS_PER_PAGE));
    for (const team of page.teams) {
      const job = { ...team, userId: NOBODY };
      await withoutScope(database, (tx) => queue.enqueue(tx, 'keywords.count', job, { key: team.teamId }));
    }
    after = page.last;
  } while (after !== null);
}

/**
 * Deletes the jobs that make vectors if no worker can run them, because they would wait forever. Nothing is lost: the
 * chunks that wait for a vector are marked.
 */
async function endServerEmbeddings({ queue, database }: WorkerSetup): Promise<void> {
  const workers = await withoutScope(database, listWorkers);
  if (workers.some(({ embedder }) => embedder !== null)) return;
  for (const name of EMBEDDING_QUEUES) {
    await queue.boss.unschedule(name);
    await queue.boss.deleteQueuedJobs(name);
  }
}
