import type { Layers } from '../../shared/access.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { TeamTransaction } from '../database.ts';
import { IMPORT_COLUMNS, type ImportRow, NO_PROGRESS, toImport } from './imports.ts';
import { writeScopeValues } from './layers.ts';

/** Locks an import where the scope writes, until the transaction ends; null where there is none. */
export async function lockOwnImport(tx: TeamTransaction, id: string): Promise<Import | null> {
  const [row] = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i
      where i.team_id = $1 and (($2 and i.client_id is null) or i.client_id = any ($3::uuid[])) and i.id = $4
      for update`,
    [...writeScopeValues(tx.scope), id],
  );
  return row === undefined ? null : toImport(row);
}

/** Which failed imports to put back: those named, or all in these layers, of everyone or of one author. */
export interface FailedImports {
  layers: Layers;
  ids: readonly string[] | null;
  author: string | null;
}

/** Puts failed imports whose file is kept back among the queued ones, and returns them, oldest first. */
export async function requeueFailedImports(tx: TeamTransaction, which: FailedImports): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `with failed as (
       select f.id from memory.import f
        where f.team_id = $1 and (($2 and f.client_id is null) or f.client_id = any ($3::uuid[]))
          and f.state = 'failed' and f.payload_pruned_at is null
          and ($4::uuid[] is null or f.id = any ($4)) and ($5::uuid is null or f.created_by = $5)
        -- In one order, so that two requests never wait for each other.
        order by f.id for update
     ), i as (
       update memory.import i set state = 'queued', ${NO_PROGRESS}, updated_at = now()
         from failed where i.team_id = $1 and i.id = failed.id
       returning i.*
     )
     select ${IMPORT_COLUMNS} from i order by i.id`,
    [tx.scope.teamId, which.layers.team, which.layers.clients, which.ids, which.author],
  );
  return rows.map(toImport);
}

/** Cancels a queued import and lets its file go. A job that is waiting for it then finds nothing to do. */
export async function cancelImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query(
    `with gone as (delete from memory.import_payload where team_id = $1 and import_id = $2)
     update memory.import set state = 'cancelled', payload_pruned_at = now(), updated_at = now()
      where team_id = $1 and id = $2 and state = 'queued'`,
    [tx.scope.teamId, id],
  );
}

/** Removes an import that is over, with its file. Its audit events stay. */
export async function deleteImport(tx: TeamTransaction, id: string): Promise<void> {
  await tx.query('delete from memory.import where team_id = $1 and id = $2', [tx.scope.teamId, id]);
}
