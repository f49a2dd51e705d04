import type { QueueName } from './queues.ts';

/**
 * What the jobs of each queue do, in the order in which the console shows them. This file has no imports that run, so
 * that a browser can load it.
 */
export const QUEUE_LABELS: Readonly<Record<QueueName, string>> = {
  'import.process': 'Read imported files',
  'import.dead': 'Fail imports after the last retry',
  'file.index': 'Index workspace files',
  'file.dead': 'Mark files after the last retry',
  'file.waiting': 'Find files to index',
  'keywords.count': 'Count words for the search',
  'terms.renew': 'Index again for the search',
  'terms.outdated': 'Find what to index again',
  'embed.query': 'Embed search queries',
  'embed.chunks': 'Embed passages',
  'embed.waiting': 'Find passages without an embedding',
  'embeddings.backfill': 'Mark passages for a new model',
  'graphs.build': 'Build graphs of large Teams',
  'team.purge': 'Delete the data of deleted Teams',
  'mail.send': 'Send mails',
  'mail.reset': 'Mail reset links that were asked for',
  'mail.remind': 'Find agent tokens that expire soon',
  'captures.release': 'Release captures of expired batches',
  'records.expire': 'Archive what has expired',
  'audit.seal': 'Seal the audit',
  'audit.prune': 'Delete old searches of the audit',
  'workspace.prune': 'Delete old versions of files',
  'objects.prune': 'Delete unused objects of the bucket',
  'upkeep.prune': 'Delete what has expired',
};

/** What the jobs of a queue do; the name of a queue that this version does not know. */
export const labelOf = (queue: string) => (QUEUE_LABELS as Readonly<Record<string, string>>)[queue] ?? queue;
