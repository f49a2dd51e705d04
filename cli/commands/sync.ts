import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SelectedTeam, SessionInfo } from '../../shared/schemas/identity.ts';
import { withRetry } from '../client/retry.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { signedIn } from '../client/signed-in.ts';
import { openDisk } from '../sync/folder/disk.ts';
import { lockForSync } from '../sync/folder/lock.ts';
import { assertBound, type Binding, makeStateFolder, openNotebook, readState } from '../sync/folder/state.ts';
import { Declined, keepInStep, syncAndTell } from '../sync/run.ts';
import { watchFolder } from '../sync/watch.ts';
import type { SyncFolder } from '../sync/work.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { interruptible } from '../terminal/interruptible.ts';
import { invocationFolder } from '../terminal/invocation-folder.ts';
import { openProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { askTerminal, atTerminal } from '../terminal/prompt.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP, type Values } from './command.ts';

const help = `Keeps a folder and the workspace of a Team in step, both ways: <folder>/team and <folder>/clients/<id>.
What changed on one side goes to the other. Where a file was changed on both, theirs takes its name, and yours is
kept beside it as "<name> (conflict <you> <time>)"; where it was deleted on one and changed on the other, the change
stays. Hidden files and folders, node_modules and symbolic links are left out.

Usage: npm run cli -- sync <folder> [options]

  --team <id>        Team that is meant, where you may enter several; a folder stays with its Team
  --watch            go on: take up each change here at once, and those there within seconds
  --dry-run          only tell what would be done
  --allow-deletions  do not ask before more than half of the files are removed on one side
${URL_HELP}

Ctrl-C ends it at once: what was done is kept, and the next run goes on from there. What the sync knows is in
<folder>/.team-memory; without it, the next run compares all files. Exit code 1 where something was not done.

${CREDENTIAL_HELP}`;

const options = {
  team: { type: 'string' },
  watch: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'allow-deletions': { type: 'boolean' },
} as const;

type Given = Values<typeof options>;

/** The folder itself, where a link names it. */
async function folderOf(operand: string): Promise<string> {
  const path = resolve(invocationFolder(), operand);
  const found = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${oneLine(path)} cannot be read (${error.code}): make the folder first`);
  });
  if (!(await stat(found)).isDirectory()) throw new CommandError(`${oneLine(path)} is no folder`);
  return found;
}

/** The id of the Team that is meant. */
async function teamOf(service: ServiceClient): Promise<string> {
  try {
    return (await service.get('/v1/team', SelectedTeam)).id;
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.code !== 'team_required') throw error;
    throw new CommandError('you may enter several Teams: name one with --team (whoami tells their ids)');
  }
}

/** Asks before a pass that removes much. A person's slip, or a disk that is not there, must not empty the other side. */
function agreement(allowed: boolean, progress: ProgressBar): SyncFolder['agree'] {
  return async ({ here, there, of }) => {
    if (allowed) return;
    const sides = [
      ...(there > 0 ? [`${there} there, which are gone here`] : []),
      ...(here > 0 ? [`${here} here, which are gone there`] : []),
    ];
    const what = `of ${of} files this removes ${sides.join(', and ')}`;
    if (!atTerminal()) throw new CommandError(`${what}: nothing of it was done (--allow-deletions does it)`);
    progress.end();
    const answer = await askTerminal(`${what[0]?.toUpperCase()}${what.slice(1)}. Go on? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Declined('nothing of it was done');
  };
}

/** Makes ready to write: for this process alone. */
async function lockFolderForSync(
  folder: string,
  binding: Binding,
): Promise<Pick<SyncFolder, 'hand' | 'state'> & { release: () => void }> {
  await makeStateFolder(folder);
  const release = lockForSync(folder);
  const state = await stateOf(folder, binding);
  return {
    state,
    hand: { disk: await openDisk(folder), notebook: await openNotebook(folder, state) },
    release,
  };
}

async function stateOf(folder: string, binding: Binding): Promise<SyncFolder['state']> {
  const known = await readState(folder);
  if (known !== null) assertBound(folder, known, binding);
  return known ?? { ...binding, revision: null, scopes: [], files: new Map() };
}

async function runSync(values: Given, folder: string, progress: ProgressBar): Promise<string> {
  const known = await readState(folder);
  const { service: asked, url } = await signedIn(values.url, values.team ?? known?.teamId);
  const service = withRetry(asked, (text) => progress.note(text));
  const binding = { url, teamId: await teamOf(service) };
  if (known !== null) assertBound(folder, known, binding);
  const { user } = await service.get('/v1/auth/session', SessionInfo);
  const agree = agreement(values['allow-deletions'] === true, progress);
  const common = { folder, service, author: user.name, progress, agree };
  if (values['dry-run'] === true)
    return syncAndTell({ ...common, state: await stateOf(folder, binding), hand: null });
  const { state, hand, release } = await lockFolderForSync(folder, binding);
  try {
    const sync = { ...common, state, hand };
    if (values.watch !== true) return await syncAndTell(sync);
    const hints = watchFolder(folder);
    return await keepInStep(sync, hints).finally(() => hints.close());
  } finally {
    release();
  }
}

export const sync: Command<typeof options> = {
  summary: 'keep a folder and the workspace files of a Team in step',
  help,
  options,
  operand: 'folder',
  async run(values, operand) {
    if (values.watch === true && values['dry-run'] === true)
      throw new CommandError('name --watch or --dry-run, not both');
    const folder = await folderOf(operand);
    const progress = openProgressBar(process.stdout);
    return interruptible(progress, () => runSync(values, folder, progress));
  },
};
