import { readOnce } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { listOpenBatches } from '../../db/queries/memory/consolidation/consolidation-batches.ts';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** Lists the open batches of the caller, newest first, with the captures that the caller can read. */
export function listBatches(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  part: ListPart,
): Promise<Batch[]> {
  return readOnce(database, scope, (tx) => listOpenBatches(tx, part));
}
