import { join } from 'node:path';
import type { ServiceClient } from '../client/service-client.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import type { Disk } from './folder/disk.ts';
import { isSettled, type LocalView } from './folder/local.ts';
import { scopeOf } from './folder/names.ts';
import type { BaseFile, Notebook, SyncState } from './folder/state.ts';
import type { RemoteView } from './remote/remote.ts';
import type { Change, NotDone } from './report.ts';

/** A folder that is in sync, for as long as the command runs. */
export interface SyncFolder {
  folder: string;
  service: ServiceClient;
  state: SyncState;
  /** Whose name a content bears that is kept aside. */
  author: string;
  progress: ProgressBar;
  /** Null in a dry run: nothing is written then. */
  hand: { disk: Disk; notebook: Notebook } | null;
  /** Agrees to a pass that deletes much, or ends it. */
  agree: (deletions: { here: number; there: number; of: number }) => Promise<void>;
}

/** One pass over both sides, in progress. */
export interface Work extends SyncFolder {
  hand: NonNullable<SyncFolder['hand']>;
  local: LocalView;
  remote: RemoteView;
  /** All that was done in the run so far. */
  changes: Change[];
  /** What this pass could not do. */
  notDone: NotDone[];
  /** Whether another pass may do more: a side has changed since it was looked at. */
  again: boolean;
  /** Whether all that changed there is done here. */
  caughtUp: boolean;
  /** Whether requests that conflict are taken apart, to find the files that do. */
  isDivided: boolean;
}

/** Where a scope's files lie, or are to lie. */
export function topOf({ local, folder }: Pick<Work, 'local' | 'folder'>, scope: string): string {
  // A second folder of the client, in another spelling, would be a stranger beside the first.
  return join(folder, ...(local.clientFolders.get(scope) ?? scope).split('/'));
}

/** Where a file lies, or is to lie. */
export function placeOf(work: Pick<Work, 'local' | 'folder'>, path: string): string {
  const scope = scopeOf(path);
  const name = path.slice(scope.length + 1);
  return work.local.files.get(path)?.at ?? join(topOf(work, scope), ...name.split('/'));
}

/** Leaves a file for the next pass: it was changed while it was being dealt with. */
export function leave(work: Work, state: 'failed' | 'not sent', path: string): void {
  work.again = true;
  work.notDone.push({ state, name: path, why: 'it was changed during the sync: run sync again' });
}

/** What the state keeps of a file that both sides have. */
export function baseOf(
  { version, sha256 }: { version: number; sha256: string },
  { bytes, modified }: { bytes: number; modified: number },
  settled = isSettled(modified),
): BaseFile {
  return { version, sha256, bytes, modified: settled ? modified : null };
}
