import type { TeamTransaction } from '../../db/driver/database.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { shownText } from '../../shared/secrets/shown-text.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockImportsForDecision } from './lock-imports.ts';
import { requeueImports } from './requeue-imports.ts';

type Needed = Pick<Dependencies, 'database' | 'queue'>;

/**
 * Runs one failed import again.
 * @throws ServiceError as `retryImports`
 */
export async function retryImport(deps: Needed, scope: TeamScope, id: string): Promise<Import> {
  const [retried] = await retryImports(deps, scope, [id]);
  if (retried === undefined) throw new ServiceError('conflict');
  return retried;
}

/**
 * Runs failed imports again, all or none.
 * @returns the imports in the order of the ids
 * @throws ServiceError `conflict` for an import that has not failed, or whose file has been deleted; as
 *   `lockImportsForDecision`
 */
export function retryImports(deps: Needed, scope: TeamScope, ids: readonly string[]): Promise<Import[]> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockImportsForDecision(tx, ids, 'retry'),
    apply: (tx, imports) => apply(tx, deps, imports),
  });
}

async function apply(
  tx: TeamTransaction,
  deps: Needed,
  imports: readonly Import[],
): Promise<Applied<Import[]>> {
  for (const { state, payloadPrunedAt, filename } of imports) {
    if (state !== 'failed') {
      throw new ServiceError('conflict', `The import of ${shownText(filename)} has not failed`);
    }
    if (payloadPrunedAt !== null) {
      throw new ServiceError('conflict', `The file ${shownText(filename)} has been deleted; import it again`);
    }
  }
  const ids = imports.map(({ id }) => id);
  const part = { after: null, limit: ids.length };
  const applied = await requeueImports(tx, deps, { layers: tx.scope.writes, ids, author: null, part });
  const result = applied.result.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return { ...applied, result };
}
