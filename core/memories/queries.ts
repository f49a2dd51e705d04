import { type Database, readOnce, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { listProvenance } from '../../db/queries/captures.ts';
import type { VersionPart } from '../../db/queries/common.ts';
import { listOpenFeedback, listQuestionedSources } from '../../db/queries/feedback.ts';
import {
  findMemory,
  findSimilarMemories,
  findSimilarToReview,
  listQuestionedMemories,
  type MemoryFilter,
  listMemories as selectMemories,
  listVersions as selectVersions,
} from '../../db/queries/memories.ts';
import { compareSorted, type Sorted, type SortedPart } from '../../db/queries/sorting.ts';
import { readFromReplica } from '../../db/replica/follow-replica.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { OpenFeedback } from '../../shared/schemas/feedback.ts';
import type {
  ListedMemory,
  Memory,
  MemoryVersion,
  Provenance,
  SimilarMemory,
} from '../../shared/schemas/memories.ts';
import { type LayerId, narrowToClient, type TeamScope } from '../../shared/scope.ts';
import { comparedTerms } from '../../shared/text/memory-content.ts';
import { wordChanges } from '../../shared/text/word-changes.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * The most characters of summaries and of texts of hits in a page. A memory can have twenty captures of 64,000 characters, and a page two hundred
 * memories.
 */
const MAX_CHARACTERS = 4_000_000;

/**
 * Adds what a reviewer needs: to the memories in review the captures they come from, and similar memories; to published
 * memories and sources the feedback that waits for a decision.
 * @returns fewer memories than given if these texts are very long, but at least one
 */
async function addReviewDetails<T extends ListedMemory>(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  memories: readonly T[],
): Promise<T[]> {
  const known = new Map<string, Provenance>();
  const listed: T[] = [];
  let characters = 0;
  const feedback = await openFeedbackOn(database, scope, memories);
  for (const memory of memories) {
    if (memory.state !== 'review') {
      const own = memory.state === 'published' ? feedback.get(memory.sourceId ?? '') : undefined;
      for (const { text } of own ?? []) characters += text.length;
      if (characters > MAX_CHARACTERS && listed.length > 0) break;
      listed.push(own === undefined ? memory : { ...memory, feedback: own });
      continue;
    }
    // One transaction for each memory: on the embedded database, everyone else waits for a transaction to end.
    const detailed = await transaction(database, scope, async (tx) => ({
      ...memory,
      captures: await capturesOf(tx, memory, known),
      similar: await findSimilarToReview(tx, memory.id, config.embeddingModel),
    }));
    for (const { summary } of detailed.captures) characters += summary.length;
    if (characters > MAX_CHARACTERS && listed.length > 0) break;
    listed.push(detailed);
  }
  return listed;
}

/** The open feedback on the published memories and sources, by the id of their source. */
function openFeedbackOn(
  database: Database,
  scope: TeamScope,
  memories: readonly Memory[],
): Promise<ReadonlyMap<string, OpenFeedback[]>> {
  const ids = memories.flatMap(({ state, sourceId }) =>
    state === 'published' && sourceId !== null ? [sourceId] : [],
  );
  if (ids.length === 0) return Promise.resolve(new Map());
  return readOnce(database, scope, (tx) => listOpenFeedback(tx, ids));
}

/** The captures of a memory that the scope can read, in the order of the memory. Reads those that are not known yet. */
async function capturesOf(
  tx: TeamTransaction,
  { captureIds }: Memory,
  known: Map<string, Provenance>,
): Promise<Provenance[]> {
  const unknown = captureIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    for (const [id, capture] of await listProvenance(tx, unknown)) known.set(id, capture);
  }
  return captureIds.map((id) => known.get(id)).filter((capture) => capture !== undefined);
}

/** The filters of a list of memories. With a client, only the memories of its layer. */
export type MemoryListFilter = MemoryFilter & { clientId: string | undefined };

/**
 * Lists a part of the memories. Those in review include published memories and sources on which feedback
 * waits for a decision. They have the details that a reviewer needs.
 * @returns at most `limit` memories, fewer if those in review have very long captures, and whether there are more after them
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listMemories(
  deps: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { limit, ...part }: SortedPart,
  { clientId, ...filter }: MemoryListFilter,
): Promise<{ items: Sorted<ListedMemory>[]; hasMore: boolean }> {
  const narrowed = narrowToClient(scope, clientId);
  return readFromReplica(deps.database, scope, async (from) => {
    const found = await transaction(from, narrowed, (tx) =>
      selectItems(tx, { ...part, limit: limit + 1 }, filter),
    );
    // The similar memories are those of the caller's whole scope, even in the list of one client.
    const items = await addReviewDetails({ ...deps, database: from }, scope, found.slice(0, limit));
    return { items, hasMore: found.length > items.length };
  });
}

/** The memories of a part of the list, and if it is of memories in review, what feedback put into review. */
async function selectItems(
  tx: TeamTransaction,
  { count, ...page }: SortedPart,
  filter: MemoryFilter,
): Promise<Sorted<ListedMemory>[]> {
  const { states } = filter;
  let total = 0;
  const part = { ...page, ...(count && { count: (rows: number) => (total += rows) }) };
  const memories = await selectMemories(tx, part, filter);
  if (states.includes('review') && !states.includes('published')) {
    memories.push(...(await listQuestionedMemories(tx, part, filter)));
  }
  const items = memories.map((memory): Sorted<ListedMemory> => ({ ...memory, subject: 'memory' }));
  if (states.includes('review')) items.push(...(await listQuestionedSources(tx, part, filter)));
  count?.(total);
  // No id is in two of the lists.
  return items.sort(compareSorted(page.sorting)).slice(0, page.limit);
}

/**
 * Reads one memory: in any state for a caller who can decide on memories, and a published one for every reader of its layer.
 * @throws ServiceError `not_found`
 */
export function getMemory(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<Memory> {
  return readOnce(database, scope, (tx) => findReadableMemory(tx, id));
}

/** Like `getMemory`, in a transaction. */
async function findReadableMemory(tx: TeamTransaction, id: string): Promise<Memory> {
  const memory = await findMemory(tx, id);
  if (memory === null || (memory.state !== 'published' && !hasRight(tx.scope, 'decideMemories'))) {
    throw new ServiceError('not_found');
  }
  return memory;
}

/** The most bytes of text that a page compares. A page of long texts has fewer versions than its limit. */
const MAX_BYTES = 1_000_000;

/**
 * Lists the texts that a memory has had, newest first, each with its changes against the one before. A text that was only in
 * review is listed only for callers who can decide on memories.
 * @param part versions lower than `before`, at most `limit`
 * @throws ServiceError `not_found` as for the memory
 */
export async function listMemoryVersions(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  memoryId: string,
  part: VersionPart,
): Promise<{ items: MemoryVersion[]; hasMore: boolean }> {
  const publishedOnly = !hasRight(scope, 'decideMemories');
  const found = await readFromReplica(database, scope, (from) =>
    transaction(from, scope, async (tx) => {
      await findReadableMemory(tx, memoryId);
      return selectVersions(tx, memoryId, { ...part, publishedOnly, maxBytes: MAX_BYTES });
    }),
  );
  const items: MemoryVersion[] = [];
  const yieldIfDue = yieldBetweenSteps();
  for (const { contentBefore, ...version } of found) {
    items.push({ ...version, changes: await wordChanges(contentBefore ?? '', version.content) });
    await yieldIfDue();
  }
  // A version without a content before it is the first one.
  return { items, hasMore: (found.at(-1)?.contentBefore ?? null) !== null };
}

/**
 * Finds the published memories of a layer that are similar to a text by their words, the most similar first, at most
 * three.
 * @param signal of the request: the text is not compared after it is closed
 */
export async function findSimilar(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { text, layerId }: { text: string; layerId: LayerId },
  signal: AbortSignal,
): Promise<SimilarMemory[]> {
  const terms = await comparedTerms(scope.teamId, text, signal);
  const compared = { layerId, terms, embedding: null, model: config.embeddingModel };
  return readOnce(database, scope, (tx) => findSimilarMemories(tx, compared));
}
