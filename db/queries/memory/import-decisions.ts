import type { Layers } from '../../../shared/access.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';
import { IMPORT_COLUMNS, type ImportRow, NO_PROGRESS, toImport } from './imports.ts';

/** Finds an import within the scope, or null. */
export async function findImport(tx: TeamTransaction, id: string): Promise<Import | null> {
  const [row] = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i where i.id = $3 and ${inScope('i')}`,
    [...scopeValues(tx.scope), id],
  );
  return row === undefined ? null : toImport(row);
}

/** Returns those of these imports that are within the scope. */
export async function findImports(tx: TeamTransaction, ids: readonly string[]): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i where ${inScope('i')} and i.id = any ($3::uuid[])`,
    [...scopeValues(tx.scope), ids],
  );
  return rows.map(toImport);
}

/** Locks those of these imports that belong to the layers, until the transaction ends. */
export async function lockImports(
  tx: TeamTransaction,
  layers: Layers,
  ids: readonly string[],
): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i
      where i.team_id = $1 and i.layer_id = any ($2::uuid[])
        and i.id = any ($3::uuid[])
      -- Ordered, to prevent a deadlock between two requests.
      order by i.id for update`,
    [tx.scope.teamId, layers, ids],
  );
  return rows.map(toImport);
}

/** Which failed imports to retry: these ids, or all in these layers, of all authors or of one. */
export interface FailedImports {
  layers: Layers;
  ids: readonly string[] | null;
  author: string | null;
  /** At most `limit` imports after an id. */
  part: ListPart;
}

/** Changes failed imports that still have their file back to queued. Returns them, oldest first. */
export async function requeueFailedImports(tx: TeamTransaction, which: FailedImports): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `with failed as (
       select f.id from memory.import f
        where f.team_id = $1 and f.layer_id = any ($2::uuid[])
          and f.state = 'failed' and f.payload_pruned_at is null
          and ($3::uuid[] is null or f.id = any ($3)) and ($4::uuid is null or f.created_by = $4)
          and ($5::uuid is null or f.id > $5)
        -- In the same order as lockImports.
        order by f.id limit $6 for update
     ), i as (
       update memory.import i set state = 'queued', ${NO_PROGRESS}, updated_at = now()
         from failed where i.team_id = $1 and i.id = failed.id
       returning i.*
     )
     select ${IMPORT_COLUMNS} from i order by i.id`,
    [tx.scope.teamId, which.layers, which.ids, which.author, which.part.after, which.part.limit],
  );
  return rows.map(toImport);
}

/** Cancels a queued import and deletes its file. Its job, which is still in the queue, then finds nothing to do. */
export async function cancelImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query(
    `with gone as (delete from memory.import_payload where team_id = $1 and import_id = $2)
     update memory.import set state = 'cancelled', payload_pruned_at = now(), updated_at = now()
      where team_id = $1 and id = $2 and state = 'queued'`,
    [tx.scope.teamId, id],
  );
}

/** Deletes an import that has ended, with its file. Its audit events are kept. */
export async function deleteImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query('delete from memory.import where team_id = $1 and id = $2', [tx.scope.teamId, id]);
}
