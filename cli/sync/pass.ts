import { foldCase } from '../../shared/formats/workspace-path.ts';
import { blockedFiles } from './blocked.ts';
import { type LocalFile, type LocalView, readLocalFiles } from './folder/local.ts';
import { scopeOf } from './folder/names.ts';
import type { BaseFile, SyncState } from './folder/state.ts';
import { type Action, type ActionOf, countDeletions, planSync } from './plan.ts';
import { fetchThere, removeHere } from './remote/fetch.ts';
import { type RemoteView, readRemote } from './remote/remote.ts';
import { sendThere } from './remote/send.ts';
import { type Change, changeOf, type Figures, type NotDone } from './report.ts';
import { baseOf, type SyncFolder, type Work } from './work.ts';

/** So often one run looks at both sides: each time something was changed while it worked. */
const MOST_PASSES = 5;
/** From this pass on all is listed: what still conflicts then may be unlike what the state says of it. */
const WHOLE_FROM = 3;

/** What came of a run. */
export interface PassOutcome {
  changes: Change[];
  notDone: NotDone[];
  figures: Figures;
}

/** Both sides, as far as it is clear what they have. */
interface Sides {
  local: LocalView;
  remote: RemoteView;
  base: Map<string, BaseFile>;
  here: Map<string, LocalFile>;
  there: RemoteView['files'];
}

/** Looks at both sides. */
async function lookAtBoth({ folder, service, state, progress }: SyncFolder, whole: boolean): Promise<Sides> {
  const local = await readLocalFiles(folder, state.files, (done, of) =>
    progress.show({ label: 'looking', share: done / of, text: `${done} of ${of} files here` }),
  );
  let listed = 0;
  const list = (share: number) =>
    progress.show({ label: 'listing', share, text: `${listed} files and changes there` });
  const remote = await readRemote(service, state, whole, (read) => {
    listed = read;
    // How many there are shows at the end alone.
    list(0);
  });
  list(1);
  const reached = new Set(remote.scopes);
  const within = (path: string) => reached.has(scopeOf(path)) && !local.held.has(path);
  const only = <Value>(files: ReadonlyMap<string, Value>) =>
    new Map([...files].filter(([path]) => within(path)));
  return {
    local,
    remote,
    base: remote.setBack ? new Map() : only(state.files),
    here: only(local.files),
    there: only(remote.files),
  };
}

/** Scopes that hold files here and are not within reach: what is there stays as it is. */
function unreached({ files }: SyncState, { local, remote }: Sides): NotDone[] {
  const reached = new Set(remote.scopes);
  const beyond = [...local.files].filter(([path]) => !reached.has(scopeOf(path)));
  return [...Map.groupBy(beyond, ([path]) => scopeOf(path))].map(([scope, found]) => {
    const changed = found.filter(([path, { sha256 }]) => files.get(path)?.sha256 !== sha256).length;
    const why = `it is not within your reach: ${found.length} here stay, ${changed} of them not sent`;
    return { state: changed === 0 ? 'skipped' : 'not sent', name: `${scope}/`, why };
  });
}

/** Held files that have changed there: nothing is fetched over what is not clear. */
function changedThere({ files }: SyncState, { local, remote }: Sides): NotDone[] {
  const { held } = local;
  const reached = new Set(remote.scopes);
  const paths = new Set([...files.keys(), ...remote.files.keys()]);
  return [...paths].flatMap((name): NotDone[] => {
    if (!held.has(name) || !reached.has(scopeOf(name))) return [];
    if (files.get(name)?.version === remote.files.get(name)?.version) return [];
    return [
      { state: 'failed', name, why: 'it has changed there, but what is here in its place is left alone' },
    ];
  });
}

/** What is to be done, without the new files that the service would refuse, which are told. */
function planned({ base, here, there, remote }: Sides, notDone: NotDone[]): Action[] {
  const actions = planSync(base, here, there);
  const blocked = blockedFiles(actions, remote.files.keys());
  for (const { action, by } of blocked) {
    const twin = foldCase(action.path) === foldCase(by);
    const why = twin
      ? `${by} is there, which differs only in case`
      : `${by} is there: one is the other's folder`;
    notDone.push({ state: 'not sent', name: action.path, why });
  }
  const without = new Set<Action>(blocked.map(({ action }) => action));
  return actions.filter((action) => !without.has(action));
}

function ofKind<Kind extends Action['do']>(actions: readonly Action[], ...kinds: Kind[]): ActionOf<Kind>[] {
  return actions.filter((action): action is ActionOf<Kind> => (kinds as string[]).includes(action.do));
}

/** Notes what is in step already, or no longer on either side. */
async function noteSeen({ hand, local }: Work, actions: readonly Action[]): Promise<void> {
  await hand.notebook.note(
    ofKind(actions, 'adopt', 'forget').map((action): [string, BaseFile | null] => {
      const file = local.files.get(action.path);
      if (action.do === 'forget' || file === undefined) return [action.path, null];
      return [action.path, baseOf(action.there, file, file.settled)];
    }),
  );
}

/** Takes over the times of files whose content is as it was, so that they are not read again. Tells whether any. */
function refreshTimes({ state, local }: Work): boolean {
  let any = false;
  for (const [path, file] of local.files) {
    const known = state.files.get(path);
    if (known?.sha256 !== file.sha256 || !file.settled || known.modified === file.modified) continue;
    state.files.set(path, { ...known, modified: file.modified });
    any = true;
  }
  return any;
}

async function apply(work: Work, actions: readonly Action[]): Promise<void> {
  await noteSeen(work, actions);
  // First what makes room: a name may come back in another case, or as a folder.
  await removeHere(work, ofKind(actions, 'delete here'));
  const kept = await fetchThere(work, ofKind(actions, 'fetch', 'keep both'));
  const pushes = ofKind(actions, 'send', 'delete there');
  const paths = new Set(pushes.map(({ path }) => path));
  await sendThere(work, [...pushes, ...kept.filter(({ path }) => !paths.has(path))]);
}

function figuresOf({ state }: SyncFolder, { local, remote }: Sides): Figures {
  const reached = new Set(remote.scopes);
  const inStep = [...state.files.keys()].filter((path) => reached.has(scopeOf(path))).length;
  return { inStep, leftOut: local.leftOut, leftOutThere: remote.leftOut, outside: local.outside };
}

/** Keeps what the pass found out about the whole. */
async function finish(work: Work): Promise<void> {
  const { state, remote, hand, caughtUp } = work;
  const moved =
    caughtUp && (state.revision !== remote.revision || state.scopes.join() !== remote.scopes.join());
  if (caughtUp) {
    state.revision = remote.revision;
    state.scopes = remote.scopes;
  }
  if (refreshTimes(work) || moved || hand.notebook.pending()) await hand.notebook.fold();
}

/**
 * Brings both sides in step, in as many passes as others' changes make needed.
 * @param outcome is filled in on the way: it is there too if the run ends before its work is done
 */
export async function syncOnce(sync: SyncFolder, outcome: PassOutcome): Promise<void> {
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const sides = await lookAtBoth(sync, pass >= WHOLE_FROM);
    const { local, remote, base } = sides;
    const held = changedThere(sync.state, sides);
    outcome.notDone = [...local.notDone, ...unreached(sync.state, sides), ...held];
    outcome.notDone.push(
      ...remote.refused.map(
        (name): NotDone => ({ state: 'failed', name, why: 'its path is not in the workspace' }),
      ),
    );
    const actions = planned(sides, outcome.notDone);
    const { here, there } = countDeletions(actions);
    const { hand } = sync;
    outcome.figures = figuresOf(sync, sides);
    if (hand === null) {
      outcome.changes = actions.flatMap((action) => changeOf(action) ?? []);
      return;
    }
    if (Math.max(here, there) * 2 > base.size) await sync.agree({ here, there, of: base.size });
    const { changes, notDone } = outcome;
    const caughtUp = held.length === 0;
    const isDivided = pass > 1;
    const work: Work = { ...sync, hand, local, remote, changes, notDone, again: false, caughtUp, isDivided };
    await apply(work, actions);
    await finish(work);
    outcome.figures = figuresOf(sync, sides);
    if (!work.again) return;
  }
}
