import { workspacePath } from '../../../shared/formats/workspace-path.ts';
import type { IndexState, ManifestItem } from '../../../shared/schemas/workspace.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { clientColumn, wireTime } from '../fragments/layers.ts';

/** A place in a manifest: the last version of a page. */
export interface ManifestPlace {
  revision: number;
  id: string;
}

/** A page of a manifest, which shows the workspace as it was at a revision. */
export interface ManifestPart {
  /** Only files that changed after this revision, including deleted ones; null: every live file. */
  since: number | null;
  /** The revision of the first page. */
  at: number;
  after: ManifestPlace | null;
  limit: number;
}

/** Returns the revision of the latest change within the scope, or 0. Changes in other layers do not affect it. */
export async function findRevision(tx: TeamTransaction): Promise<number> {
  const [row] = await tx.query<{ revision: number | null }>(
    `select max(v.revision) as revision
       from unnest($2::uuid[]) as l (layer_id)
      cross join lateral (
        select v.revision from memory.workspace_version v
         where v.team_id = $1 and v.layer_id = l.layer_id and v.current_revision > 0
         order by v.current_revision desc, v.id desc limit 1) v`,
    [tx.scope.teamId, tx.scope.reads],
  );
  return row?.revision ?? 0;
}

interface ManifestRow extends Omit<ManifestItem, 'path' | 'updatedAt' | 'indexed'> {
  clientId: string | null;
  name: string;
  updatedAt: Date;
  indexed: IndexState | null;
  revision: number;
  id: string;
}

/**
 * Up to this many layers are read one by one, a whole page of each, and most of that is discarded. With more layers,
 * the files of the Team are read in order, and those that the caller cannot read are skipped. All pages together skip
 * each once.
 */
const MAX_LAYERS_ONE_BY_ONE = 16;
const ONE_LAYER = 'v.layer_id = l.layer_id';
/** `coalesce` prevents the use of the index by layer: a plan without statistics would use it and sort all files. */
const ANY_LAYER = 'coalesce(v.layer_id = any ($2::uuid[]), false)';

/** Selects the rows of a page from some versions, newest first. Each of the two revision columns has an index. */
function newest(versions: string, revision: string): string {
  return `select v.* from memory.workspace_version v
           where v.team_id = $1 and ${versions}
             and ${revision} > $3 and ${revision} <= $4 and ($5 or v.sha256 is not null)
             and ($6::bigint is null or (${revision} <= $6 and (${revision}, v.id) < ($6, $7::uuid)))
           order by ${revision} desc, v.id desc limit $8`;
}

/** An item of the manifest, with its place. */
interface ListedVersion {
  item: Omit<ManifestItem, 'indexed'>;
  /** Null: nobody has decided whether to index it. */
  indexed: IndexState | null;
  place: ManifestPlace;
}

/**
 * Lists a page of the manifest, the latest change first, each item with its place. A file that changed after `at` is
 * shown as it was at `at`, so a change between two pages does not remove a file or show it twice.
 */
export async function listManifest(
  tx: TeamTransaction,
  { since, at, after, limit }: ManifestPart,
): Promise<ListedVersion[]> {
  const layers = tx.scope.reads;
  const few = layers.length <= MAX_LAYERS_ONE_BY_ONE;
  const within = few ? ONE_LAYER : ANY_LAYER;
  const rows = await tx.query<ManifestRow>(
    `select ${clientColumn('v')} as "clientId", v.path as name, encode(v.sha256, 'hex') as sha256, v.bytes, v.version,
            v.sha256 is null as deleted, v.indexed, v.updated_at as "updatedAt", v.updated_by as "updatedBy", v.revision, v.id
       from ${few ? 'unnest($2::uuid[]) as l (layer_id) cross join lateral' : ''} (
        (${newest(`${within} and v.current_revision is not null`, few ? 'v.current_revision' : 'v.revision')})
        union all
        (${newest(`${within} and v.until_revision > $4`, 'v.revision')})
      ) v
      order by v.revision desc, v.id desc limit $8`,
    [
      tx.scope.teamId,
      layers,
      since ?? 0,
      at,
      since !== null,
      after?.revision ?? null,
      after?.id ?? null,
      limit,
    ],
  );
  return rows.map(({ clientId, name, revision, id, updatedAt, indexed, ...row }) => ({
    item: { ...row, path: workspacePath(clientId, name), updatedAt: wireTime(updatedAt) },
    indexed,
    place: { revision, id },
  }));
}
