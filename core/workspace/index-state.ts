import type { NewVersion } from '../../db/queries/workspace/files.ts';
import type { Config } from '../../shared/config.ts';
import { importMediaType } from '../../shared/formats/media-types.ts';
import type { IndexState } from '../../shared/schemas/workspace.ts';

type Needed = Pick<Config, 'indexFiles'>;

/** The last segment of a path, by which people know the file. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the text of a file can be read. */
function isReadable(path: string, bytes: number): boolean {
  return bytes > 0 && importMediaType(lastSegment(path), undefined, false) !== null;
}

/** The state of a version that is pushed now. Null: upkeep decides after the service has been told to index files. */
export function newIndexState(
  { indexFiles }: Needed,
  { path, sha256, bytes }: Pick<NewVersion, 'path' | 'sha256' | 'bytes'>,
): IndexState | null {
  if (!indexFiles || sha256 === null) return null;
  return isReadable(path, bytes) ? 'pending' : 'no';
}

/** The state of a version as the manifest shows it. */
export function shownIndexState(
  { indexFiles }: Needed,
  {
    path,
    bytes,
    deleted,
    indexed,
  }: { path: string; bytes: number; deleted: boolean; indexed: IndexState | null },
): IndexState {
  if (deleted) return 'no';
  // Upkeep removes the sources within a minute after the setting has changed. Until then, searches find them.
  if (!indexFiles) return indexed === 'yes' ? 'yes' : 'no';
  return indexed ?? (isReadable(path, bytes) ? 'pending' : 'no');
}
