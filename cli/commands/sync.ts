import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { withRetry } from '../client/service-client.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS, type Values } from '../program/command.ts';
import { lockForSync, openDisk } from '../sync/disk.ts';
import { Declined, syncAndReport, syncContinuously, watchFolder } from '../sync/run.ts';
import { assertBound, type Binding, makeStateFolder, openJournal, readState } from '../sync/state.ts';
import type { SyncFolder } from '../sync/work.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, type Result } from '../terminal/output.ts';
import { invocationFolder } from '../terminal/program.ts';
import { interruptible, openProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { askTerminal, atTerminal } from '../terminal/prompt.ts';

const options = {
  watch: {
    type: 'boolean',
    help: 'keep running: send local changes at once, and fetch others within seconds; with --json, a line for each pass',
  },
  'dry-run': { type: 'boolean', help: 'only print what would be done' },
  'allow-deletions': {
    type: 'boolean',
    help: 'do not ask before more than half of the files are removed on one side',
  },
  ...TEAM_OPTIONS,
  team: {
    ...TEAM_OPTIONS.team,
    help: `${TEAM_OPTIONS.team.help}. A folder belongs to one Team`,
  },
} as const;

type Given = Values<typeof options>;

/** The real path of the folder: symbolic links are resolved. */
async function folderOf(operand: string): Promise<string> {
  const path = resolve(invocationFolder(), operand);
  const found = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${oneLine(path)} cannot be read (${error.code}): create the folder first`);
  });
  if (!(await stat(found)).isDirectory()) throw new CommandError(`${oneLine(path)} is not a folder`);
  return found;
}

/** Asks before many files are deleted: a mistake, or a disk that is not mounted, must not empty the other side. */
function confirmer(allowed: boolean, progress: ProgressBar): SyncFolder['confirmDeletions'] {
  return async ({ here, there, of }) => {
    if (allowed) return;
    const sides = [
      ...(there > 0 ? [`${there} in the service, which were deleted here`] : []),
      ...(here > 0 ? [`${here} here, which were deleted in the service`] : []),
    ];
    const what = `of ${counted(of, 'file')}, this deletes ${sides.join(', and ')}`;
    if (!atTerminal()) throw new CommandError(`${what}: nothing was changed (--allow-deletions allows it)`);
    progress.end();
    const answer = await askTerminal(`${what[0]?.toUpperCase()}${what.slice(1)}. Continue? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Declined('nothing was changed');
  };
}

/** Locks the folder for this process and opens it for writing. */
async function lockFolderForSync(
  folder: string,
  binding: Binding,
): Promise<Pick<SyncFolder, 'state' | 'writers'> & { release: () => void }> {
  await makeStateFolder(folder);
  const release = lockForSync(folder);
  const state = await stateOf(folder, binding);
  return {
    state,
    writers: { disk: await openDisk(folder), journal: await openJournal(folder, state) },
    release,
  };
}

async function stateOf(folder: string, binding: Binding): Promise<SyncFolder['state']> {
  const known = await readState(folder);
  if (known !== null) assertBound(folder, known, binding);
  return known ?? { ...binding, revision: null, scopes: [], files: new Map() };
}

async function runSync(values: Given, folder: string, progress: ProgressBar): Promise<Result> {
  const known = await readState(folder);
  const { service: asked, url } = await signedInToTeam({ ...values, team: values.team ?? known?.teamId });
  const service = withRetry(asked, (text) => progress.note(text));
  const binding = { url, teamId: (await service.get('/v1/team', SelectedTeam)).id };
  if (known !== null) assertBound(folder, known, binding);
  const { user } = await service.get('/v1/auth/session', SessionInfo);
  const confirmDeletions = confirmer(values['allow-deletions'] === true, progress);
  const common = { folder, service, author: user.name, progress, confirmDeletions };
  if (values['dry-run'] === true)
    return syncAndReport({ ...common, state: await stateOf(folder, binding), writers: null });
  const { state, writers, release } = await lockFolderForSync(folder, binding);
  try {
    const sync = { ...common, state, writers };
    if (values.watch !== true) return await syncAndReport(sync);
    const hints = watchFolder(folder);
    return await syncContinuously(sync, hints, values.json === true).finally(() => hints.close());
  } finally {
    release();
  }
}

export const sync: Command<typeof options> = {
  section: 'team',
  summary: 'keep a folder in sync with the workspace files of a Team',
  about: `Keeps a folder in sync with the workspace files of a Team, in both directions: <folder>/team and
<folder>/clients/<id>. A change on one side is copied to the other. If a file was changed on both sides, the version of
the service keeps the name, and yours is saved next to it as "<name> (conflict <you> <time>)". If a file was deleted on
one side and changed on the other, the changed file is kept. Files in other places of <folder> are not synced: they are
named. Hidden files and folders, node_modules and symbolic links
are left out.`,
  options,
  notes: `Ctrl-C stops the command at once. Changes that were made stay, and the next run continues from there. The
state of the sync is stored in <folder>/.team-memory; without it, the next run compares all files. The exit code is 1
if the sync is incomplete.

${CREDENTIAL_NOTE}`,
  operand: { name: 'folder', completes: 'folder' },
  async run(values, operand) {
    if (values.watch === true && values['dry-run'] === true)
      throw new CommandError('--watch and --dry-run cannot be combined');
    const folder = await folderOf(operand);
    const progress = openProgressBar(values.json === true ? process.stderr : process.stdout);
    return interruptible(progress, () => runSync(values, folder, progress));
  },
};
