import { readOnce } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { type SourceFilter, listSources as selectSources } from '../../db/queries/memory/source-library.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import { narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** The filters of a list of sources. With a client, only the sources of its layer. */
export type SourceListFilter = SourceFilter & { clientId: string | undefined };

/**
 * Lists sources, newest first, except sources that are loading.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listSources(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  part: ListPart,
  { clientId, ...filter }: SourceListFilter,
): Promise<Source[]> {
  const narrowed = narrowToClient(scope, clientId);
  return readFromReplica(database, narrowed, (from) =>
    readOnce(from, narrowed, (tx) => selectSources(tx, part, filter)),
  );
}
