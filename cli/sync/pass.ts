import { foldCase } from '../../shared/formats/workspace-path.ts';
import { groupBy } from '../program/older-node.ts';
import { counted, countedOf } from '../terminal/output.ts';
import { hasStamp } from './disk.ts';
import { fetchThere, removeHere } from './fetch.ts';
import { type LocalFile, type LocalView, readLocalFiles } from './local.ts';
import { layerFolderOf } from './names.ts';
import { type Action, type ActionOf, blockedFiles, countDeletions, planSync } from './plan.ts';
import { type RemoteView, readRemote } from './remote.ts';
import { type Change, changeOf, type Figures, type NotDone } from './report.ts';
import { sendThere } from './send.ts';
import type { BaseFile, SyncState } from './state.ts';
import { baseOf, type SyncFolder, type Work } from './work.ts';

/** The most passes of one run. Another pass is needed if something was changed during the last one. */
const MAX_PASSES = 5;
/** From this pass on, the whole list of files is read: if conflicts remain, the state can be wrong. */
const FULL_LIST_FROM_PASS = 3;

/** The results of a run. */
export interface PassOutcome {
  changes: Change[];
  notDone: NotDone[];
  figures: Figures;
}

/**
 * The content of the folder (`here`), of the service (`there`), and of both when they were last in sync (`base`). Paths
 * that are uncertain or that the caller cannot read are left out.
 */
interface Sides {
  local: LocalView;
  remote: RemoteView;
  base: Map<string, BaseFile>;
  here: Map<string, LocalFile>;
  there: RemoteView['files'];
}

/** Lists the files of both sides. */
async function listBothSides(
  { folder, service, state, progress, writers }: SyncFolder,
  whole: boolean,
): Promise<Sides> {
  // A dry run stores no stamps.
  const now = (await writers?.disk.now()) ?? 0;
  const local = await readLocalFiles(folder, state.files, now, (done, of) =>
    progress.show({
      label: 'looking',
      share: done / of,
      text: countedOf(done, of, 'file here', 'files here'),
    }),
  );
  let listed = 0;
  const list = (share: number) =>
    progress.show({
      label: 'listing',
      share,
      text: counted(listed, 'file or change there', 'files and changes there'),
    });
  const remote = await readRemote(service, state, whole, (read) => {
    listed = read;
    // The total is known only at the end.
    list(0);
  });
  list(1);
  const reached = new Set(remote.scopes);
  const within = (path: string) => reached.has(layerFolderOf(path)) && !local.uncertain.has(path);
  const only = <Value>(files: ReadonlyMap<string, Value>) =>
    new Map([...files].filter(([path]) => within(path)));
  return {
    local,
    remote,
    base: remote.wasRestored ? new Map() : only(state.files),
    here: only(local.files),
    there: only(remote.files),
  };
}

/** Reports the layers that the caller cannot read but that have files in the folder. These files are not changed. */
function reportUnreadable({ files }: SyncState, { local, remote }: Sides): NotDone[] {
  const reached = new Set(remote.scopes);
  const beyond = [...local.files].filter(([path]) => !reached.has(layerFolderOf(path)));
  return [...groupBy(beyond, ([path]) => layerFolderOf(path))].map(([layerFolder, found]) => {
    const changed = found.filter(([path, { sha256 }]) => files.get(path)?.sha256 !== sha256).length;
    const why = `you do not have access to it: ${counted(found.length, 'file here is', 'files here are')} left unchanged, ${changed} of them not sent`;
    return { state: changed === 0 ? 'skipped' : 'not sent', name: `${layerFolder}/`, why };
  });
}

/**
 * Reports uncertain paths that have changed in the service. They are not fetched, because the local state is unknown.
 */
function reportMissedChanges({ files }: SyncState, { local, remote }: Sides): NotDone[] {
  const { uncertain } = local;
  const reached = new Set(remote.scopes);
  const paths = new Set([...files.keys(), ...remote.files.keys()]);
  return [...paths].flatMap((name): NotDone[] => {
    if (!uncertain.has(name) || !reached.has(layerFolderOf(name))) return [];
    if (files.get(name)?.version === remote.files.get(name)?.version) return [];
    return [
      {
        state: 'failed',
        name,
        why: 'it changed in the service, but was not fetched because of the problem here',
      },
    ];
  });
}

/** Plans the actions. New files that the service would refuse are left out and reported. */
function planActions({ base, here, there, remote }: Sides, notDone: NotDone[]): Action[] {
  const actions = planSync(base, here, there);
  const blocked = blockedFiles(actions, remote.files.keys());
  for (const { action, by } of blocked) {
    const twin = foldCase(action.path) === foldCase(by);
    const why = twin
      ? `${by} exists, and its name differs only in case`
      : `${by} exists, and one of the two would be a folder above the other`;
    notDone.push({ state: 'not sent', name: action.path, why });
  }
  const blockedActions = new Set<Action>(blocked.map(({ action }) => action));
  return actions.filter((action) => !blockedActions.has(action));
}

function ofKind<Kind extends Action['do']>(actions: readonly Action[], ...kinds: Kind[]): ActionOf<Kind>[] {
  return actions.filter((action): action is ActionOf<Kind> => (kinds as string[]).includes(action.do));
}

/** Stores the paths that are already in sync, or that no longer exist on either side. */
async function recordInSync({ writers, local }: Work, actions: readonly Action[]): Promise<void> {
  await writers.journal.append(
    ofKind(actions, 'adopt', 'drop').map((action): [string, BaseFile | null] => {
      const file = local.files.get(action.path);
      if (action.do === 'drop' || file === undefined) return [action.path, null];
      return [action.path, baseOf(action.there, file.bytes, file.stamp)];
    }),
  );
}

/** Updates the stamps of unchanged files, so that they are not read again. Returns whether there were any. */
function refreshStamps({ state, local }: Work): boolean {
  let any = false;
  for (const [path, { sha256, bytes, stamp }] of local.files) {
    const known = state.files.get(path);
    if (known?.sha256 !== sha256 || stamp === null || hasStamp(known, stamp)) continue;
    state.files.set(path, baseOf(known, bytes, stamp));
    any = true;
  }
  return any;
}

async function apply(work: Work, actions: readonly Action[]): Promise<void> {
  await recordInSync(work, actions);
  // Deletions come first: a name can return in another case, or as a folder.
  await removeHere(work, ofKind(actions, 'delete here'));
  const renamed = await fetchThere(work, ofKind(actions, 'fetch', 'keep both'));
  const pushes = ofKind(actions, 'send', 'delete there');
  const paths = new Set(pushes.map(({ path }) => path));
  await sendThere(work, [...pushes, ...renamed.filter(({ path }) => !paths.has(path))]);
}

function figuresOf({ state }: SyncFolder, { local, remote }: Sides): Figures {
  const reached = new Set(remote.scopes);
  const inSync = [...state.files.keys()].filter((path) => reached.has(layerFolderOf(path))).length;
  return {
    inSync,
    leftOut: local.leftOut,
    leftOutThere: remote.leftOut,
    outside: local.outside,
    outsideNames: [...local.outsideNames],
  };
}

/** Stores the revision and the state at the end of a pass. */
async function finish(work: Work): Promise<void> {
  const { state, remote, writers, isCaughtUp } = work;
  const moved =
    isCaughtUp && (state.revision !== remote.revision || state.scopes.join() !== remote.scopes.join());
  if (isCaughtUp) {
    state.revision = remote.revision;
    state.scopes = remote.scopes;
  }
  if (refreshStamps(work) || moved || writers.journal.hasPending()) await writers.journal.compact();
}

/**
 * Syncs both sides. Repeats the pass if someone changes files in the meantime.
 * @param outcome is filled in during the run, so that it is also available if the run ends with an error
 */
export async function syncOnce(sync: SyncFolder, outcome: PassOutcome): Promise<void> {
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const sides = await listBothSides(sync, pass >= FULL_LIST_FROM_PASS);
    const { local, remote, base } = sides;
    const missed = reportMissedChanges(sync.state, sides);
    outcome.notDone = [...local.notDone, ...reportUnreadable(sync.state, sides), ...missed];
    outcome.notDone.push(
      ...remote.refused.map(
        (name): NotDone => ({ state: 'failed', name, why: 'the service lists a path that is not valid' }),
      ),
    );
    const actions = planActions(sides, outcome.notDone);
    const { here, there } = countDeletions(actions);
    const { writers } = sync;
    outcome.figures = figuresOf(sync, sides);
    if (writers === null) {
      outcome.changes = actions.flatMap((action) => changeOf(action) ?? []);
      return;
    }
    if (Math.max(here, there) * 2 > base.size) await sync.confirmDeletions({ here, there, of: base.size });
    const { changes, notDone } = outcome;
    const isCaughtUp = missed.length === 0;
    const isDivided = pass > 1;
    const work: Work = {
      ...sync,
      writers,
      local,
      remote,
      changes,
      notDone,
      needsAnotherPass: false,
      isCaughtUp,
      isDivided,
    };
    await apply(work, actions);
    await finish(work);
    outcome.figures = figuresOf(sync, sides);
    if (!work.needsAnotherPass) return;
  }
}
