import type { TeamTransaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { updateMemory } from '../../db/queries/memory/memories.ts';
import { archiveSource } from '../../db/queries/memory/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { LayerId } from '../../shared/scope.ts';

/** A memory that is to be superseded, and by what. */
export interface Superseding {
  superseded: Memory;
  /** The layer of the memory that takes its place. */
  layer: LayerId;
  /** Where it is named in the body. */
  path: string;
}

/**
 * Refuses to have a memory superseded by one of another scope.
 * @throws ServiceError `invalid_request`
 */
export function assertSameScope(pairs: readonly Superseding[]): void {
  for (const { superseded, layer, path } of pairs) {
    if (superseded.clientId !== layer) throw invalidField(path, 'lies in another scope');
  }
}

/**
 * Refuses to have a memory superseded that is not published.
 * @throws ServiceError `conflict`
 */
export function assertPublished(pairs: readonly Superseding[]): void {
  if (pairs.some(({ superseded }) => superseded.state !== 'published')) {
    throw new ServiceError('conflict', 'The memory to be superseded is not published');
  }
}

/**
 * Archives a published memory that is locked: its source goes out of every search.
 * @param supersededBy the memory that takes its place, or null where it is deleted
 */
export async function archiveMemory(
  tx: TeamTransaction,
  memory: Memory,
  supersededBy: string | null,
): Promise<Memory> {
  const { id, sourceId, clientId } = memory;
  if (sourceId === null) throw new Error('a published memory has no source');
  await archiveSource(tx, sourceId);
  const archived = await updateMemory(tx, id, {
    state: 'archived',
    ...(supersededBy === null ? {} : { supersededBy }),
  });
  insertAuditEvents(tx, [
    {
      kind: 'memory.delete',
      subjectType: 'memory',
      subjectId: id,
      layer: clientId,
      detail: { version: archived.version, sourceId, ...(supersededBy === null ? {} : { supersededBy }) },
    },
  ]);
  return archived;
}
