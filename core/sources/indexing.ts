import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  type ChunkText,
  type ChunkWithTerms,
  findSmallOutdatedSource,
  renewSourceTerms,
} from '../../db/queries/search/terms.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { LayerId } from '../../shared/scope.ts';
import { textHash } from '../../shared/text/content-hash.ts';
import { fieldsText, indexedTexts, type SourceFields } from '../../shared/text/prepared-chunks.ts';
import { chunkTerms } from '../../shared/text/terms/terms.ts';

/** If the title of a source changes, its terms are made again at once if it has at most so many chunks and characters. */
const MAX_CHUNKS_IN_REQUEST = 100;
const MAX_CHARACTERS_IN_REQUEST = 200_000;

/** The key of the job that embeds the backlog of a layer: at most one of them is queued. */
export function layerKey(teamId: string, layerId: LayerId): string {
  return `${teamId}/${layerId}`;
}

/**
 * Enqueues the jobs that follow a change to the text of a Team, in the transaction of the change. They count the terms of
 * the Team again and, if the service makes vectors, embed the new chunks. Must be called last, and always enqueues in the
 * same order, because another transaction that enqueues the same jobs waits until this one ends.
 * @param layers in which chunks without a vector were written
 * @param outdatedId a source whose terms are outdated, or null. Those of a source with few chunks are made again here: it is
 *   found by its new title as soon as the request returns. They are made before any job is enqueued, because that can wait
 */
export async function enqueueIndexing(
  tx: TeamTransaction,
  queue: Pick<JobQueue, 'enqueue'>,
  { serverEmbeddings }: { serverEmbeddings: boolean },
  layers: readonly LayerId[],
  outdatedId: string | null = null,
): Promise<void> {
  const { companyId, teamId, userId } = tx.scope;
  const isOutdated = outdatedId !== null && !(await renewTermsOfFew(tx, outdatedId));
  await queue.enqueue(tx, 'keywords.count', { companyId, teamId, userId }, { key: teamId });
  if (isOutdated) await queue.enqueue(tx, 'terms.renew', { companyId, teamId, userId }, { key: teamId });
  if (!serverEmbeddings) return;
  const keys = new Map(layers.map((layerId) => [layerKey(teamId, layerId), layerId]));
  for (const [key, layerId] of [...keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // New chunks have a job of their own, which does not wait behind the layers with a backlog.
    const before = { key: `${key}/new`, priority: 1 };
    await queue.enqueue(tx, 'embed.chunks', { companyId, teamId, layerId }, before);
  }
}

/** Makes the terms of a stored chunk again, from its text and the fields of its source. */
export function withTerms(
  teamId: string,
  fields: SourceFields,
  { id, headings, ...chunk }: Omit<ChunkText, 'ordinal'>,
): ChunkWithTerms {
  const indexed = indexedTexts(chunk, fieldsText(fields, headings));
  return { id, terms: chunkTerms(teamId, indexed.text, indexed.fields), textHash: textHash(chunk.text) };
}

/** Makes the terms of a source again. Returns false, and changes nothing, if it has many chunks or long ones. */
async function renewTermsOfFew(tx: TeamTransaction, sourceId: string): Promise<boolean> {
  const source = await findSmallOutdatedSource(tx, sourceId, MAX_CHUNKS_IN_REQUEST);
  const characters = source?.chunks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
  if (source === null || characters > MAX_CHARACTERS_IN_REQUEST) return false;
  const yieldIfDue = yieldBetweenSteps();
  const chunks: ChunkWithTerms[] = [];
  for (const chunk of source.chunks) {
    chunks.push(withTerms(tx.scope.teamId, source.fields, chunk));
    await yieldIfDue();
  }
  await renewSourceTerms(tx, source, chunks);
  return true;
}
