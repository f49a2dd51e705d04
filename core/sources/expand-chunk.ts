import { readOnce } from '../../db/driver/database.ts';
import { selectNearbyChunks } from '../../db/queries/memory/chunks.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import { BehindError } from '../../db/replica/unread.ts';
import { isId } from '../../shared/ids.ts';
import type { Chunk } from '../../shared/schemas/memory.ts';
import { narrowScope, type RequestedScope, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { countOpened } from '../feedback/count-uses.ts';

/** A chunk, how many neighbours to return on each side, and the part of the scope to read. */
export interface ChunkExpansion {
  chunkId: string;
  before: number;
  after: number;
  scope: RequestedScope | undefined;
}

/**
 * Returns a chunk and its neighbours in the same source, in order. Empty for an id that is unknown, malformed or out of
 * scope, so that the result does not tell whether the chunk exists.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function expandChunk(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { chunkId, before, after, scope: requested }: ChunkExpansion,
): Promise<Chunk[]> {
  const narrowed = requested === undefined ? scope : narrowScope(scope, requested);
  if (!isId(chunkId)) return [];
  const chunks = await readFromReplica(database, narrowed, async (from) => {
    const found = await readOnce(from, narrowed, (tx) => selectNearbyChunks(tx, chunkId, before, after));
    if (found.length === 0 && from !== database) throw new BehindError();
    return found;
  });
  const [first] = chunks;
  if (first !== undefined) countOpened(database, scope.teamId, first.source_id);
  return chunks;
}
