import { foldPath, type WorkspacePath, workspacePath } from '../../../shared/formats/workspace-path.ts';
import type { FileVersion, IndexState, ManifestItem } from '../../../shared/schemas/workspace.ts';
import { layerOf } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { clientColumn, inScope, type ListPart, scopeValues, type VersionPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';
import { queryNamed } from '../query-named.ts';

/** A path of the workspace. */
export type Place = Pick<WorkspacePath, 'clientId' | 'name' | 'path'>;

/** The current version at a path. */
export interface CurrentVersion {
  id: string;
  path: string;
  fileId: string;
  version: number;
  /** In hexadecimal; null if the file was deleted. */
  sha256: string | null;
}

/**
 * Locks the Team's workspace for a push until the transaction ends, and returns the revision of the push. A revision is
 * a time, so that the difference of two revisions does not show how many changes a caller cannot see.
 * @returns microseconds since 1970, or the last revision plus one if that is higher
 */
export async function allocateRevision(tx: TeamTransaction): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(
    `insert into memory.workspace_team as w (team_id, revision)
       values ($1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
       on conflict (team_id) do update set revision = greatest(w.revision + 1, excluded.revision)
       returning revision`,
    [tx.scope.teamId],
  );
  if (row === undefined) throw new Error('no revision was allocated');
  return row.revision;
}

/** Returns the current versions at these paths, by path. Paths without any version are left out. */
export async function findCurrentVersions(
  tx: TeamTransaction,
  places: readonly Place[],
): Promise<Map<string, CurrentVersion>> {
  const rows = await tx.query<Omit<CurrentVersion, 'path'> & { clientId: string | null; name: string }>(
    `select ${clientColumn('v')} as "clientId", v.path as name, v.id, v.file_id as "fileId", v.version,
            encode(v.sha256, 'hex') as sha256
       from unnest($2::uuid[], $3::text[]) as p (layer_id, path)
      cross join lateral (
        select * from memory.workspace_version v
         where v.team_id = $1 and v.layer_id = p.layer_id and v.path = p.path collate "C" and v.until_revision is null
         limit 1
      ) v`,
    [
      tx.scope.teamId,
      places.map(({ clientId }) => layerOf(tx.scope, clientId)),
      places.map(({ name }) => name),
    ],
  );
  return new Map(
    rows.map(({ clientId, name, ...row }) => {
      const path = workspacePath(clientId, name);
      return [path, { ...row, path }];
    }),
  );
}

/** A version about to be written. */
export interface NewVersion extends Place {
  id: string;
  /** The id of the current version, which this one supersedes; null without one. */
  before: string | null;
  fileId: string;
  version: number;
  /** In hexadecimal; null deletes the file. */
  sha256: string | null;
  bytes: number;
  /** Whether searches find it; null: upkeep decides. */
  indexed: IndexState | null;
}

/** Inserts the next versions of files, which supersede the current ones. */
export async function insertVersions(
  tx: TeamTransaction,
  revision: number,
  versions: readonly NewVersion[],
): Promise<void> {
  const names = versions.map(({ name }) => name);
  // By id: with a join by path, a plan without statistics would read all files.
  await tx.query(
    `update memory.workspace_version v set until_revision = $3, superseded_at = now()
      where v.team_id = $1 and v.id = any ($2::uuid[])`,
    [tx.scope.teamId, versions.flatMap(({ before }) => before ?? []), revision],
  );
  await queryNamed(
    tx,
    `insert into memory.workspace_version
       (team_id, company_id, updated_by, revision, id, layer_id, file_id, path, folded, version, sha256, bytes,
        indexed)
     select $teamId, $companyId, $userId, $revision, p.id, p.layer_id, p.file_id, p.path, p.folded, p.version,
            decode(p.sha256, 'hex'), p.bytes, p.indexed
       from unnest($ids::uuid[], $layerIds::uuid[], $fileIds::uuid[], $names::text[], $folded::text[], $numbers::int[],
                   $hashes::text[], $bytes::int[], $indexed::text[])
         as p (id, layer_id, file_id, path, folded, version, sha256, bytes, indexed)`,
    {
      teamId: tx.scope.teamId,
      companyId: tx.scope.companyId,
      userId: tx.scope.userId,
      revision,
      ids: versions.map(({ id }) => id),
      layerIds: versions.map(({ clientId }) => layerOf(tx.scope, clientId)),
      fileIds: versions.map(({ fileId }) => fileId),
      names,
      folded: names.map(foldPath),
      numbers: versions.map(({ version }) => version),
      hashes: versions.map(({ sha256 }) => sha256),
      bytes: versions.map(({ bytes }) => bytes),
      indexed: versions.map(({ indexed }) => indexed),
    },
  );
}

/** A version that has a content. */
export interface ContentVersion {
  version: number;
  /** In hexadecimal. */
  sha256: string;
  bytes: number;
}

/**
 * Finds versions within the scope that have a content: the current one of a path, or the one with the given number.
 * @returns a version for each of `wanted`; null if it does not exist
 */
export async function findContents(
  tx: TeamTransaction,
  wanted: readonly (Place & { version: number | undefined })[],
): Promise<(ContentVersion | null)[]> {
  const rows = await tx.query<ContentVersion & { place: number }>(
    `select p.place, v.version, encode(v.sha256, 'hex') as sha256, v.bytes
       from unnest($3::uuid[], $4::text[], $5::int[]) with ordinality as p (layer_id, path, version, place)
      cross join lateral (
        select * from memory.workspace_version v
         where v.layer_id = p.layer_id and v.path = p.path collate "C"
           and case when p.version is null then v.until_revision is null else v.version = p.version end
           and v.sha256 is not null and ${inScope('v')}
         limit 1
      ) v`,
    [
      ...scopeValues(tx.scope),
      wanted.map(({ clientId }) => layerOf(tx.scope, clientId)),
      wanted.map(({ name }) => name),
      wanted.map(({ version }) => version ?? null),
    ],
  );
  const found: (ContentVersion | null)[] = wanted.map(() => null);
  for (const { place, ...row } of rows) found[place - 1] = row;
  return found;
}

/** Two live paths that cannot both exist. */
export interface Blocked {
  path: string;
  blockedBy: string;
}

/** The condition of live files, except those in `$5` and `$6`, which the same push writes or deletes. */
const LIVE = `v.team_id = $1 and v.layer_id = p.layer_id and v.until_revision is null and v.sha256 is not null
  and (v.layer_id, v.path) not in (select * from unnest($5::uuid[], $6::text[]))`;

/**
 * Finds conflicts of new paths with live paths: the two differ only in case, or one is a folder of the other. Each path
 * is looked up by itself: with a join, a plan without statistics would read all files.
 * @param places the paths that become live
 * @param leaving live paths that are not checked, because the same push writes or deletes them
 */
export async function findBlocked(
  tx: TeamTransaction,
  places: readonly Place[],
  leaving: readonly Place[],
): Promise<Blocked[]> {
  const rows = await tx.query<{ path: string; clientId: string | null; name: string }>(
    `select p.path, nullif(v.layer_id, $1) as "clientId", v.path as name
       from unnest($2::text[], $3::uuid[], $4::text[]) as p (path, layer_id, folded)
      cross join lateral (
        -- The last live path up to this one, in the order of folded paths: the same path in another case, or a file
        -- that is a folder of this path. Live paths do not conflict, so no other path is between such a file and this
        -- path.
        (select f.layer_id, f.path
           from (select v.layer_id, v.path, v.folded from memory.workspace_version v
                  where ${LIVE} and v.folded_start <= left(p.folded, 500) collate "C"
                    and v.folded <= p.folded collate "C"
                  order by v.folded_start desc, v.folded desc limit 1) f
          where f.folded = p.folded collate "C" or starts_with(p.folded, f.folded || E'\\u0001'))
        union all
        (select v.layer_id, v.path from memory.workspace_version v
          where ${LIVE} and v.folded_start >= left(p.folded || E'\\u0001', 500) collate "C"
            and v.folded_start < left(p.folded, 500)
              || case when length(p.folded) < 500 then E'\\u0002' else E'\\u0001' end collate "C"
            and starts_with(v.folded, p.folded || E'\\u0001')
          limit 1)
      ) v`,
    [
      tx.scope.teamId,
      places.map(({ path }) => path),
      places.map(({ clientId }) => layerOf(tx.scope, clientId)),
      places.map(({ name }) => foldPath(name)),
      leaving.map(({ clientId }) => layerOf(tx.scope, clientId)),
      leaving.map(({ name }) => name),
    ],
  );
  return rows.map(({ path, clientId, name }) => ({ path, blockedBy: workspacePath(clientId, name) }));
}

/**
 * Lists the stored versions of a file within the scope, newest first, deletions included.
 * @param part only versions lower than `before`, unless it is null
 */
export async function listFileVersions(
  tx: TeamTransaction,
  { clientId, name, path }: WorkspacePath,
  { before, ...part }: VersionPart,
): Promise<FileVersion[]> {
  const rows = await queryList<Omit<FileVersion, 'path' | 'updatedAt'> & { updatedAt: Date }>(
    tx,
    { ...part, after: before },
    `select encode(v.sha256, 'hex') as sha256, v.bytes, v.version, v.sha256 is null as deleted,
            v.updated_at as "updatedAt", v.updated_by as "updatedBy"
       from memory.workspace_version v
      where ${inScope('v')} and v.layer_id = $3 and v.path = $4 collate "C" and ($after::int is null or v.version < $after)
      order by v.version desc limit $limit`,
    {},
    [...scopeValues(tx.scope), layerOf(tx.scope, clientId), name],
  );
  return rows.map((row) => ({ ...row, path, updatedAt: wireTime(row.updatedAt) }));
}

/** A place in a manifest: the last version of a page. */
export interface ManifestPlace {
  revision: number;
  id: string;
}

/** A page of a manifest, which shows the workspace as it was at a revision. */
export interface ManifestPart extends Pick<ListPart, 'limit' | 'count'> {
  /** Only files that changed after this revision, including deleted ones; null: every live file. */
  since: number | null;
  /** The revision of the first page. */
  at: number;
  after: ManifestPlace | null;
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
             and ($after::bigint is null or (${revision} <= $after and (${revision}, v.id) < ($after, $afterId::uuid)))
           order by ${revision} desc, v.id desc limit $limit`;
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
  { since, at, after, ...part }: ManifestPart,
): Promise<ListedVersion[]> {
  const layers = tx.scope.reads;
  const few = layers.length <= MAX_LAYERS_ONE_BY_ONE;
  const within = few ? ONE_LAYER : ANY_LAYER;
  const rows = await queryList<ManifestRow>(
    tx,
    { ...part, after: after?.revision ?? null },
    `select ${clientColumn('v')} as "clientId", v.path as name, encode(v.sha256, 'hex') as sha256, v.bytes, v.version,
            v.sha256 is null as deleted, v.indexed, v.updated_at as "updatedAt", v.updated_by as "updatedBy", v.revision, v.id
       from ${few ? 'unnest($2::uuid[]) as l (layer_id) cross join lateral' : ''} (
        (${newest(`${within} and v.current_revision is not null`, few ? 'v.current_revision' : 'v.revision')})
        union all
        (${newest(`${within} and v.until_revision > $4`, 'v.revision')})
      ) v
      order by v.revision desc, v.id desc limit $limit`,
    { afterId: after?.id ?? null },
    [tx.scope.teamId, layers, since ?? 0, at, since !== null],
  );
  return rows.map(({ clientId, name, revision, id, updatedAt, indexed, ...row }) => ({
    item: { ...row, path: workspacePath(clientId, name), updatedAt: wireTime(updatedAt) },
    indexed,
    place: { revision, id },
  }));
}
