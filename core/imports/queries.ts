import { transaction } from '../../db/driver/database.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { findImport, listImports as selectImports } from '../../db/queries/imports.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import { narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

type Needed = Pick<Dependencies, 'database'>;

/** The filters of a list of imports. With a client, only the imports of its layer. */
export interface ImportFilter {
  state: Import['state'] | null;
  clientId: string | undefined;
}

/**
 * Lists imports, newest first.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function listImports(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
  { state, clientId }: ImportFilter,
): Promise<Import[]> {
  const narrowed = narrowToClient(scope, clientId);
  return transaction(database, narrowed, (tx) => selectImports(tx, part, state));
}

/**
 * Reads one import.
 * @throws ServiceError `not_found`
 */
export async function getImport({ database }: Needed, scope: TeamScope, id: string): Promise<Import> {
  const found = await transaction(database, scope, (tx) => findImport(tx, id));
  if (found === null) throw new ServiceError('not_found');
  return found;
}
