import type { TeamTransaction } from '../../db/driver/database.ts';
import { cancelImport, deleteImport } from '../../db/queries/memory/import-decisions.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { importEvents } from './import-events.ts';
import { lockImportsForDecision } from './lock-imports.ts';

/**
 * Cancels a queued import, or deletes one that has failed or was cancelled.
 * @throws ServiceError `conflict` in any other state; as `lockImportsForDecision`
 */
export function removeImport(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockImportsForDecision(tx, [id], 'remove'),
    apply,
  });
}

async function apply(tx: TeamTransaction, [item]: readonly Import[]): Promise<Applied<void>> {
  if (item === undefined) throw new ServiceError('not_found');
  if (item.state === 'running' || item.state === 'completed') {
    throw new ServiceError('conflict', `The import is ${item.state}`);
  }
  const isQueued = item.state === 'queued';
  await (isQueued ? cancelImport(tx, item.id) : deleteImport(tx, item.id));
  const kind = isQueued ? 'memory.import_cancel' : 'memory.import_forget';
  return { result: undefined, audit: importEvents(kind, [item]) };
}
