import type { TeamTransaction } from '../../db/driver/database.ts';
import { type FailedImports, requeueFailedImports } from '../../db/queries/memory/import-decisions.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { Applied } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueImports } from './enqueue-imports.ts';
import { importEvents } from './import-events.ts';

/** Applies a retry: makes failed imports queued again, and returns them with their audit events and jobs. */
export async function requeueImports(
  tx: TeamTransaction,
  { queue }: Pick<Dependencies, 'queue'>,
  which: FailedImports,
): Promise<Applied<Import[]>> {
  const imports = await requeueFailedImports(tx, which);
  if (imports.length === 0) return { result: imports, audit: [] };
  return {
    result: imports,
    audit: importEvents('memory.import_retry', imports),
    enqueue: () => enqueueImports(tx, queue, imports),
  };
}
