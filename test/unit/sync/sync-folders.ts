import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { ServiceClient } from '../../../cli/client/service-client.ts';
import { openDisk } from '../../../cli/sync/disk.ts';
import { type PassOutcome, syncOnce } from '../../../cli/sync/pass.ts';
import {
  type Binding,
  makeStateFolder,
  openJournal,
  readState,
  STATE_FOLDER,
} from '../../../cli/sync/state.ts';
import type { ProgressBar } from '../../../cli/terminal/progress-bar.ts';

/** What the files of a folder hold, by their paths; what is hidden is left out. */
export async function treeOf(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const at = join(entry.parentPath, entry.name);
    const path = at.slice(folder.length + 1);
    if (!entry.isFile() || path.startsWith(STATE_FOLDER)) continue;
    tree[path] = await readFile(at, 'utf8');
  }
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A folder of someone, which is synced as the command does it. */
export interface TestFolder {
  folder: string;
  write: (path: string, content: string) => Promise<void>;
  remove: (path: string) => Promise<void>;
  tree: () => Promise<Record<string, string>>;
  /** @param dryRun whether nothing is to be written */
  sync: (service: ServiceClient, dryRun?: boolean) => Promise<PassOutcome>;
  /** Syncs as if no file had been changed for an hour, so that their stamps stand for their contents. */
  syncLater: (service: ServiceClient) => Promise<PassOutcome>;
}

/** A progress bar that shows nothing. */
const UNSEEN: ProgressBar = { show: () => {}, note: () => {}, line: () => {}, end: () => {} };

/** What a folder in memory's workspace is in sync with. */
const NOWHERE = { url: 'http://127.0.0.1', teamId: 'team' };

/**
 * A folder that is there, as someone's.
 * @param binding the service and Team that it is in sync with
 */
export function openTestFolder(folder: string, author: string, binding: Binding = NOWHERE): TestFolder {
  const at = (path: string) => join(folder, ...path.split('/'));
  const sync = async (service: ServiceClient, dryRun: boolean, later: number): Promise<PassOutcome> => {
    if (!dryRun) await makeStateFolder(folder);
    const unknown = { ...binding, revision: null, scopes: [], files: new Map() };
    const state = (await readState(folder)) ?? unknown;
    const disk = dryRun ? null : await openDisk(folder);
    const now = async () => ((await disk?.now()) ?? 0) + later;
    const writers = disk && { disk: { ...disk, now }, journal: await openJournal(folder, state) };
    const leftOut = { hidden: 0, installed: 0, links: 0, special: 0 };
    const figures = { inSync: 0, leftOut, leftOutThere: 0, outside: 0, outsideNames: [] };
    const outcome: PassOutcome = { changes: [], notDone: [], figures };
    const confirmDeletions = () => Promise.resolve();
    await syncOnce({ folder, service, state, author, progress: UNSEEN, writers, confirmDeletions }, outcome);
    return outcome;
  };
  return {
    folder,
    write: async (path, content) => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    },
    remove: (path) => rm(at(path)),
    tree: () => treeOf(folder),
    sync: (service, dryRun = false) => sync(service, dryRun, 0),
    syncLater: (service) => sync(service, false, 3_600_000),
  };
}

/** Makes folders for a file's tests. Call it at file level: they go when the file is done. */
export async function openFolders(): Promise<(author: string, binding?: Binding) => Promise<TestFolder>> {
  const place = await mkdtemp(join(tmpdir(), 'sync-test-'));
  after(() => rm(place, { recursive: true }));
  return async (author, binding) => openTestFolder(await mkdtemp(join(place, 'folder-')), author, binding);
}
