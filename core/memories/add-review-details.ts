import { type Database, readOnce, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { listOpenFeedback } from '../../db/queries/feedback/feedback.ts';
import { listProvenance } from '../../db/queries/memory/consolidation/capture-list.ts';
import { findSimilarToReview } from '../../db/queries/memory/similar-memories.ts';
import type { OpenFeedback } from '../../shared/schemas/feedback.ts';
import type { ListedMemory, Memory, Provenance } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
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
export async function addReviewDetails(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  memories: readonly ListedMemory[],
): Promise<ListedMemory[]> {
  const known = new Map<string, Provenance>();
  const listed: ListedMemory[] = [];
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
