import { readOnce, type TeamTransaction } from '../../db/driver/database.ts';
import { findMemory } from '../../db/queries/memory/memories.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Reads one memory: in any state for a caller who can decide on memories, and a published one for every reader of its layer.
 * @throws ServiceError `not_found`
 */
export function readMemory(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<Memory> {
  return readOnce(database, scope, (tx) => findReadableMemory(tx, id));
}

/** Like `readMemory`, in a transaction. */
export async function findReadableMemory(tx: TeamTransaction, id: string): Promise<Memory> {
  const memory = await findMemory(tx, id);
  if (memory === null || (memory.state !== 'published' && !hasRight(tx.scope, 'decideMemories'))) {
    throw new ServiceError('not_found');
  }
  return memory;
}
