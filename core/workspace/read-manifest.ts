import { transaction } from '../../db/driver/database.ts';
import { findRevision, listManifest } from '../../db/queries/workspace/manifest.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import { BehindError } from '../../db/replica/unread.ts';
import { layerPrefix } from '../../shared/formats/workspace-path.ts';
import type { Manifest } from '../../shared/schemas/workspace.ts';
import { clientsIn, readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { shownIndexState } from './index-state.ts';
import { cursorOf, type ManifestCursor } from './manifest-cursor.ts';

/** Which page of a manifest to read. */
export interface ManifestPage {
  /** Only what changed after this revision, deletions included; null for every live file. */
  since: number | null;
  /** Null for the first page. */
  cursor: ManifestCursor | null;
  limit: number;
}

/**
 * Reads one page of the manifest: the files that the scope can read, as they were at the revision of the first page.
 */
export function readManifest(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  page: ManifestPage,
): Promise<Manifest> {
  const { since, cursor, limit } = page;
  return readFromReplica(database, scope, (from) =>
    transaction(from, scope, async (tx) => {
      const revision = cursor === null || from !== database ? await findRevision(tx) : cursor.at;
      // The caller has seen more than the replica has: the page would lack it, and the caller would not ask for it again.
      if (revision < Math.max(since ?? 0, cursor?.at ?? 0) && from !== database) throw new BehindError();
      const at = cursor?.at ?? revision;
      const found = await listManifest(tx, { since, at, after: cursor?.after ?? null, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        revision: at,
        scopes: readablePrefixes(scope),
        items: shown.map(({ item, indexed }) => ({
          ...item,
          indexed: shownIndexState(config, { ...item, indexed }),
        })),
        nextCursor: found.length > limit && last ? cursorOf({ at, after: last.place }) : null,
      };
    }),
  );
}

/** The path prefixes of the layers that the scope can read, always in the same order. */
function readablePrefixes(scope: TeamScope): string[] {
  const clients = clientsIn(scope, scope.reads).toSorted().map(layerPrefix);
  return readsLayerOf(scope, null) ? [layerPrefix(null), ...clients] : clients;
}
