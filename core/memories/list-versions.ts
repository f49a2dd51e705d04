import { transaction } from '../../db/driver/database.ts';
import { listVersions as selectVersions } from '../../db/queries/memory/memory-versions.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import { hasRight } from '../../shared/access.ts';
import { yieldBetweenSteps } from '../../shared/resources/yield-between-steps.ts';
import type { MemoryVersion } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { wordChanges } from '../../shared/text/word-changes.ts';
import type { Dependencies } from '../dependencies.ts';
import { findReadableMemory } from './read-memory.ts';

/** The most bytes of text that a page compares. A page of long texts has fewer versions than its limit. */
const MAX_BYTES = 1_000_000;

/**
 * Lists the texts that a memory has had, newest first, each with its changes against the one before. A text that was only in
 * review is listed only for callers who can decide on memories.
 * @param part versions lower than `before`, at most `limit`
 * @throws ServiceError `not_found` as for the memory
 */
export async function listVersions(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  memoryId: string,
  part: { before: number | null; limit: number },
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
