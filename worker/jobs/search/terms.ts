import { withTerms } from '../../../core/sources/indexing.ts';
import { asWorker, type Database, transaction, workerTransaction } from '../../../db/driver/database.ts';
import { callRows } from '../../../db/queries/call.ts';
import {
  endSourceTerms,
  findOutdatedSource,
  type OutdatedSource,
  readSourceTexts,
  replaceTerms,
} from '../../../db/queries/search/terms.ts';
import { NOBODY, type TeamScope, upkeepScope } from '../../../shared/scope.ts';
import { TERMS_VERSION } from '../../../shared/text/terms/terms.ts';
import type { JobHandler } from '../../context.ts';

/**
 * Enqueues a job for each Team in which terms are outdated. A change of the title of a large source enqueues the job itself;
 * this one finds what a new version of the service left, and what a job that failed did not finish.
 */
export const queueOutdatedTeams: JobHandler<'terms.outdated'> = async (job, { database, queue }) => {
  for (const team of await asWorker(database, (tx) => callRows(tx, 'memory.outdated_teams', TERMS_VERSION))) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, (tx) =>
      queue.enqueue(tx, 'terms.renew', { ...team, userId: NOBODY }, { key: team.teamId }),
    );
  }
  await asWorker(database, (tx) => queue.complete(tx, 'terms.outdated', job));
};

/** Chunks whose terms one transaction replaces. The embedded database answers no other request until it ends. */
const MAX_CHUNKS_PER_SLICE = 50;
/** After so many chunks the job ends and enqueues the next one, so that other Teams get their turn. */
const MAX_CHUNKS_PER_JOB = 5000;

/**
 * Makes the terms of a Team's chunks again where they are outdated: after a change of the rules for terms, or of the title
 * of a source. Searches find a chunk by its old terms until the new ones replace them. A run that
 * stops is repeated from the source at which it stopped.
 */
export const renewTerms: JobHandler<'terms.renew'> = async (job, { database, queue, stopping }) => {
  const { teamId } = job.data;
  const scope = upkeepScope(job.data);
  const signal = AbortSignal.any([stopping, job.signal]);
  let renewed = 0;
  let outdated: OutdatedSource | null = null;
  while (renewed < MAX_CHUNKS_PER_JOB && !signal.aborted) {
    outdated = await workerTransaction(database, scope, findOutdatedSource);
    if (outdated === null) break;
    renewed += await renewSource(database, scope, outdated, signal);
  }
  await transaction(database, scope, async (tx) => {
    if (renewed > 0) await queue.enqueue(tx, 'keywords.count', job.data, { key: teamId });
    if (outdated !== null) await queue.enqueue(tx, 'terms.renew', job.data, { key: teamId });
    await queue.complete(tx, 'terms.renew', job);
  });
};

/**
 * Makes the terms of a source again. Returns of how many chunks. If it is aborted, or the source changes, the source stays
 * outdated.
 */
async function renewSource(
  database: Database,
  scope: TeamScope,
  source: OutdatedSource,
  signal: AbortSignal,
): Promise<number> {
  let renewed = 0;
  for (let after = -1; !signal.aborted; ) {
    const texts = await workerTransaction(database, scope, (tx) =>
      readSourceTexts(tx, source.id, after, MAX_CHUNKS_PER_SLICE),
    );
    const last = texts.at(-1);
    if (last === undefined) {
      await workerTransaction(database, scope, (tx) => endSourceTerms(tx, source, renewed));
      break;
    }
    const chunks = texts.map((chunk) => withTerms(scope.teamId, source.fields, chunk));
    if (!(await workerTransaction(database, scope, (tx) => replaceTerms(tx, source, chunks)))) break;
    renewed += texts.length;
    after = last.ordinal;
  }
  return renewed;
}
