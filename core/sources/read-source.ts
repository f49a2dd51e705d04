import { type Database, readOnce, transaction } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import {
  type FoundSource,
  findSource,
  findTitle,
  listSourceChunks,
} from '../../db/queries/memory/source-library.ts';
import { invalidField } from '../../shared/errors.ts';
import type { Chunk } from '../../shared/schemas/memory.ts';
import type { LayerId, TeamScope } from '../../shared/scope.ts';
import { countOpened } from '../feedback/count-uses.ts';

/** A source, and a part of its chunks. */
export interface SourcePart extends FoundSource {
  chunks: (Chunk & { id: string })[];
}

/**
 * Reads a source and a part of its chunks, in one transaction. Counts that it was opened, for its first part.
 * @returns null if the source does not exist
 * @param stale the field that says where the part begins, and what is wrong with it then
 * @throws ServiceError `invalid_request` if the part begins after a chunk that has been replaced
 */
export async function readSource(
  database: Database,
  scope: TeamScope,
  id: string,
  part: ListPart,
  stale = { path: '/cursor', message: 'is not a cursor of the current text of the source' },
): Promise<SourcePart | null> {
  const read = await transaction(database, scope, async (tx) => {
    let found = await findSource(tx, id);
    while (found !== null) {
      const chunks = await listSourceChunks(tx, id, part);
      const { clientId, chunks: count } = found.source;
      const isWhole = chunks?.every((chunk) => chunk.client_id === clientId) === true;
      if (isWhole && (chunks.length > 0 || count === 0)) {
        return { ...found, chunks: chunks.map((chunk) => ({ ...chunk, id: chunk.chunk_id })) };
      }
      // It can have been moved to another layer, or archived, between the two statements.
      const now = await findSource(tx, id);
      const isSame = now?.source.clientId === clientId && now.source.state === found.source.state;
      if (isSame && chunks === null) throw invalidField(stale.path, stale.message);
      if (isSame && chunks?.length === 0) return { ...found, chunks: [] };
      found = now;
    }
    return null;
  });
  // Its other parts belong to the same reading.
  if (read !== null && part.after === null) countOpened(database, scope.teamId, id);
  return read;
}

/** Returns the title of the active source of a layer with an external id; null if it does not exist. */
export function readTitle(
  database: Database,
  scope: TeamScope,
  named: { externalId: string; layerId: LayerId },
): Promise<string | null> {
  return readOnce(database, scope, (tx) => findTitle(tx, named));
}
