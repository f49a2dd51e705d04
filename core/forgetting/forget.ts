import { transaction } from '../../db/driver/database.ts';
import { findSource } from '../../db/queries/memory/source-library.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { parseId } from '../access/parse-id.ts';
import type { Dependencies } from '../dependencies.ts';
import { archiveSource } from '../sources/removal/archive-source.ts';
import { restoreSource } from '../sources/removal/restore-source.ts';
import { reopenWithdrawn, withdrawMemory } from './withdraw-memory.ts';

/** What was done with a source or with a memory in review. */
export interface Forgotten {
  id: string;
  status: 'archived' | 'restored' | 'withdrawn';
  /** Until when an archived source can be restored. Null: it cannot be, or it is not archived. */
  until: string | null;
}

/**
 * Archives a source, or withdraws a memory in review that the credential of the caller has made. With `undo`, restores the
 * source, or puts the memory back into review.
 * @throws ServiceError `conflict` for the source of a memory or of a workspace file; otherwise as `archiveSource`,
 *   `restoreSource` and `withdrawMemory`
 */
export async function forget(
  deps: Pick<Dependencies, 'database' | 'queue' | 'config'>,
  scope: TeamScope,
  given: string,
  undo: boolean,
): Promise<Forgotten> {
  const id = parseId(given);
  const found = await transaction(deps.database, scope, (tx) => findSource(tx, id));
  if (found === null) {
    await (undo ? reopenWithdrawn(deps, scope, id) : withdrawMemory(deps, scope, id));
    return { id, status: undo ? 'restored' : 'withdrawn', until: null };
  }
  assertForgettable(found.source, undo);
  if (undo) {
    await restoreSource(deps, scope, id);
    return { id, status: 'restored', until: null };
  }
  return { id, status: 'archived', until: await archiveSource(deps, scope, id) };
}

function assertForgettable({ kind, memoryId }: Source, undo: boolean): void {
  if (kind === 'memory') {
    const memory = memoryId === undefined ? 'the memory' : `the memory ${memoryId}`;
    throw new ServiceError(
      'conflict',
      `The source belongs to a memory; decide on ${memory} with decide_memory`,
    );
  }
  if (kind === 'file') {
    const push = undo ? 'push the file again' : 'delete the file with a push';
    throw new ServiceError('conflict', `The source belongs to a workspace file; ${push}`);
  }
}
