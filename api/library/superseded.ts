import type { TeamTransaction } from '../../db/database.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import { type LockedMemory, updateMemory } from '../../db/queries/memories.ts';
import { archiveSource } from '../../db/queries/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { LayerId } from '../../shared/scope.ts';

/**
 * A locked memory whose place another one takes.
 * @param layer of the one that takes it
 * @param path where it is named in the body
 * @throws ServiceError `not_found`, `invalid_request` for one of another scope, `conflict` for one not published
 */
export function takeSuperseded(locked: LockedMemory | undefined, layer: LayerId, path: string): Memory {
  if (locked === undefined) throw new ServiceError('not_found');
  const { memory } = locked;
  if (memory.clientId !== layer) throw invalidField(path, 'lies in another scope');
  if (memory.state !== 'published') {
    throw new ServiceError('conflict', 'The memory to be superseded is not published');
  }
  return memory;
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
  await insertAuditEvents(tx, [
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
