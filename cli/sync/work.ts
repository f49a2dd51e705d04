import { join } from 'node:path';
import type { ServiceClient } from '../client/service-client.ts';
import type { FileStamp } from '../import/records.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import type { Disk } from './disk.ts';
import type { LocalView } from './local.ts';
import { layerFolderOf } from './names.ts';
import type { RemoteView } from './remote.ts';
import type { Change, NotDone } from './report.ts';
import type { BaseFile, Journal, SyncState } from './state.ts';

/** A folder and everything needed to sync it, for one command. */
export interface SyncFolder {
  folder: string;
  service: ServiceClient;
  state: SyncState;
  /** The user's name, for the file names of conflicts. */
  author: string;
  progress: ProgressBar;
  /** Writes files and state; null in a dry run, which writes nothing. */
  writers: { disk: Disk; journal: Journal } | null;
  /** Asks whether a pass can delete many files. Rejects if not. */
  confirmDeletions: (deletions: { here: number; there: number; of: number }) => Promise<void>;
}

/** A pass in progress. */
export interface Work extends SyncFolder {
  writers: NonNullable<SyncFolder['writers']>;
  local: LocalView;
  remote: RemoteView;
  /** All changes of the run so far. */
  changes: Change[];
  /** The failures of this pass. */
  notDone: NotDone[];
  /** Whether another pass is needed: a side has changed since it was listed. */
  needsAnotherPass: boolean;
  /** Whether all changes of the service have been applied to the folder. */
  isCaughtUp: boolean;
  /** Whether requests that conflict are divided, to find the files that cause the conflict. */
  isDivided: boolean;
}

/** The local path of the folder of a layer. */
export function layerFolderPath(
  { local, folder }: Pick<Work, 'local' | 'folder'>,
  layerFolder: string,
): string {
  // The existing folder of the client is used, even if its name has another case, so that there is only one.
  return join(folder, ...(local.clientFolders.get(layerFolder) ?? layerFolder).split('/'));
}

/** The local path of a file. */
export function localPathOf(work: Pick<Work, 'local' | 'folder'>, path: string): string {
  const layerFolder = layerFolderOf(path);
  const name = path.slice(layerFolder.length + 1);
  return work.local.files.get(path)?.at ?? join(layerFolderPath(work, layerFolder), ...name.split('/'));
}

/** Leaves a file for the next pass, because it was changed during this one, or before it although its stamp is the same. */
export function postpone(work: Work, state: 'failed' | 'not sent', path: string): void {
  work.needsAnotherPass = true;
  distrustStamp(work, path);
  work.notDone.push({ state, name: path, why: 'it was changed during the sync: run sync again' });
}

/**
 * Makes the next pass read a file. Its stamp can be the same although its content has changed: some file systems have no
 * ctime.
 */
function distrustStamp({ state, local }: Work, path: string): void {
  const known = state.files.get(path);
  if (known !== undefined) state.files.set(path, baseOf(known, known.bytes, null));
  const file = local.files.get(path);
  if (file !== undefined) local.files.set(path, { ...file, stamp: null });
}

/**
 * The entry in the state for a file that both sides have.
 * @param stamp null to read the file again in the next pass
 */
export function baseOf(
  { version, sha256 }: { version: number; sha256: string },
  bytes: number,
  stamp: FileStamp | null,
): BaseFile {
  return { version, sha256, bytes, modified: null, ...stamp };
}
