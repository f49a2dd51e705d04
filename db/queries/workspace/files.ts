import { foldPath, type WorkspacePath, workspacePath } from '../../../shared/formats/workspace-path.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** The id by which a layer is stored: the client's, or the Team's own. */
export function layerId(scope: TeamScope, clientId: string | null): string {
  return clientId ?? scope.teamId;
}

/** A path of the workspace. */
export type Place = Pick<WorkspacePath, 'clientId' | 'name' | 'path'>;

/** What is current at a path: `sha256` is null where the file is deleted. */
export interface CurrentVersion {
  id: string;
  path: string;
  fileId: string;
  version: number;
  /** In hexadecimal. */
  sha256: string | null;
}

/**
 * Takes the Team's workspace for a push, until the transaction ends, and gives the push its revision. Ascends by the
 * clock, so that the distance of two does not tell how many changes out of someone's reach lie between them.
 * @returns microseconds since 1970, or one more than the last where the clock has not moved on
 */
export async function allocateRevision(tx: TeamTransaction): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(
    `insert into memory.workspace_team as w (team_id, revision)
       values ($1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
       on conflict (team_id) do update set revision = greatest(w.revision + 1, excluded.revision)
       returning revision`,
    [tx.scope.teamId],
  );
  if (row === undefined) throw new Error('the workspace gave no revision');
  return row.revision;
}

/** What is current at these paths, by path; those that never were are left out. */
export async function findCurrentVersions(
  tx: TeamTransaction,
  places: readonly Place[],
): Promise<Map<string, CurrentVersion>> {
  const rows = await tx.query<Omit<CurrentVersion, 'path'> & { clientId: string | null; name: string }>(
    `select v.client_id as "clientId", v.path as name, v.id, v.file_id as "fileId", v.version,
            encode(v.sha256, 'hex') as sha256
       from unnest($2::uuid[], $3::text[]) as p (layer_id, path)
      cross join lateral (
        select * from memory.workspace_version v
         where v.team_id = $1 and v.layer_id = p.layer_id and v.path = p.path collate "C" and v.until_revision is null
         limit 1
      ) v`,
    [
      tx.scope.teamId,
      places.map(({ clientId }) => layerId(tx.scope, clientId)),
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
  /** The id of the current version, which becomes the version before; null without one. */
  before: string | null;
  fileId: string;
  version: number;
  /** In hexadecimal; null deletes the file. */
  sha256: string | null;
  bytes: number;
}

/** Writes the next versions of files; what was current becomes the version before. */
export async function insertVersions(
  tx: TeamTransaction,
  revision: number,
  versions: readonly NewVersion[],
): Promise<void> {
  const names = versions.map(({ name }) => name);
  // By their ids: joined by paths, a planner without statistics would read the whole tree.
  await tx.query(
    `update memory.workspace_version v set until_revision = $3, superseded_at = now()
      where v.team_id = $1 and v.id = any ($2::uuid[])`,
    [tx.scope.teamId, versions.flatMap(({ before }) => before ?? []), revision],
  );
  await tx.query(
    `insert into memory.workspace_version
       (team_id, company_id, updated_by, revision, id, client_id, file_id, path, folded, version, sha256, bytes)
     select $1, $2, $3, $4, p.id, p.client_id, p.file_id, p.path, p.folded, p.version, decode(p.sha256, 'hex'), p.bytes
       from unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::int[], $11::text[], $12::int[])
         as p (id, client_id, file_id, path, folded, version, sha256, bytes)`,
    [
      tx.scope.teamId,
      tx.scope.companyId,
      tx.scope.userId,
      revision,
      versions.map(({ id }) => id),
      versions.map(({ clientId }) => clientId),
      versions.map(({ fileId }) => fileId),
      names,
      names.map(foldPath),
      versions.map(({ version }) => version),
      versions.map(({ sha256 }) => sha256),
      versions.map(({ bytes }) => bytes),
    ],
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
 * Versions with a content within the scope: the current ones, or those asked for.
 * @returns one for each of `wanted`, null for a version that is not found
 */
export async function findContents(
  tx: TeamTransaction,
  wanted: readonly (Place & { version: number | undefined })[],
): Promise<(ContentVersion | null)[]> {
  const rows = await tx.query<ContentVersion & { place: number }>(
    `select p.place, v.version, encode(v.sha256, 'hex') as sha256, v.bytes
       from unnest($4::uuid[], $5::text[], $6::int[]) with ordinality as p (layer_id, path, version, place)
      cross join lateral (
        select * from memory.workspace_version v
         where v.layer_id = p.layer_id and v.path = p.path collate "C"
           and case when p.version is null then v.until_revision is null else v.version = p.version end
           and v.sha256 is not null and ${inScope('v')}
         limit 1
      ) v`,
    [
      ...scopeValues(tx.scope),
      wanted.map(({ clientId }) => layerId(tx.scope, clientId)),
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

/** Of live files: all but those of `$5` and `$6`, which are written or deleted by the same push. */
const LIVE = `v.team_id = $1 and v.layer_id = p.layer_id and v.until_revision is null and v.sha256 is not null
  and (v.layer_id, v.path) not in (select * from unnest($5::uuid[], $6::text[]))`;

/**
 * Which of these paths, all to be live, differ from a live one in case alone, or are the folder of one or lie in one.
 * Each is looked up by itself: joined, a planner without statistics would read the whole tree.
 * @param places to be live
 * @param leaving live ones that are not to count, for they are written or deleted by the same push
 */
export async function findBlocked(
  tx: TeamTransaction,
  places: readonly Place[],
  leaving: readonly Place[],
): Promise<Blocked[]> {
  const rows = await tx.query<{ path: string; clientId: string | null; name: string }>(
    `select p.path, v.client_id as "clientId", v.path as name
       from unnest($2::text[], $3::uuid[], $4::text[]) as p (path, layer_id, folded)
      cross join lateral (
        -- What comes right before it, itself without case included: as no two live paths conflict, nothing comes between
        -- a file and a path that would lie in it.
        (select f.client_id, f.path
           from (select v.client_id, v.path, v.folded from memory.workspace_version v
                  where ${LIVE} and v.folded_start <= left(p.folded, 500) collate "C"
                    and v.folded <= p.folded collate "C"
                  order by v.folded_start desc, v.folded desc limit 1) f
          where f.folded = p.folded collate "C" or starts_with(p.folded, f.folded || E'\\u0001'))
        union all
        (select v.client_id, v.path from memory.workspace_version v
          where ${LIVE} and v.folded_start >= left(p.folded || E'\\u0001', 500) collate "C"
            and v.folded_start < left(p.folded, 500)
              || case when length(p.folded) < 500 then E'\\u0002' else E'\\u0001' end collate "C"
            and starts_with(v.folded, p.folded || E'\\u0001')
          limit 1)
      ) v`,
    [
      tx.scope.teamId,
      places.map(({ path }) => path),
      places.map(({ clientId }) => layerId(tx.scope, clientId)),
      places.map(({ name }) => foldPath(name)),
      leaving.map(({ clientId }) => layerId(tx.scope, clientId)),
      leaving.map(({ name }) => name),
    ],
  );
  return rows.map(({ path, clientId, name }) => ({ path, blockedBy: workspacePath(clientId, name) }));
}
