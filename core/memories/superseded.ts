import type { TeamTransaction } from '../../db/driver/database.ts';
import { archiveSource } from '../../db/queries/library/archive.ts';
import { updateMemory } from '../../db/queries/memory/memories.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { Recorded } from '../access/run-command.ts';
import { memoryEvent } from './events.ts';

/** A memory that is to be superseded by another one. */
export interface SupersededPair {
  superseded: Memory;
  /** The client of the new memory; null for the Team layer. */
  clientId: string | null;
  /** JSON pointer of the field that names it. */
  path: string;
}

/**
 * Refuses to supersede a memory of another scope.
 * @throws ServiceError `invalid_request`
 */
export function assertSameLayer(pairs: readonly SupersededPair[]): void {
  for (const { superseded, clientId, path } of pairs) {
    if (superseded.clientId !== clientId) throw invalidField(path, 'is in another scope');
  }
}

/**
 * Refuses to supersede a memory that is not published.
 * @throws ServiceError `conflict`
 */
export function assertPublished(pairs: readonly SupersededPair[]): void {
  if (pairs.some(({ superseded }) => superseded.state !== 'published')) {
    throw new ServiceError('conflict', 'The memory to be superseded is not published');
  }
}

/**
 * Archives a locked, published memory. Searches no longer find its source.
 * @param supersededBy the memory that replaces it, or null if it is deleted
 * @returns the archived memory, with the event for the command to record
 */
export async function archiveMemory(
  tx: TeamTransaction,
  { id, sourceId }: Memory,
  supersededBy: string | null,
): Promise<Recorded<Memory>> {
  if (sourceId === null) throw new Error('a published memory has no source');
  const successor = supersededBy === null ? {} : { supersededBy };
  await archiveSource(tx, sourceId);
  const archived = await updateMemory(tx, id, { state: 'archived', ...successor });
  return { result: archived, audit: [memoryEvent('memory.delete', archived, { sourceId, ...successor })] };
}
