import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { CommandError } from '../../terminal/command-error.ts';
import { invocationFolder } from '../../terminal/invocation-folder.ts';
import { PROGRAM } from '../../terminal/program.ts';
import type { Agent } from '../agents.ts';
import { projectFolder } from '../recall/project.ts';
import { installedHooks } from './installed-hooks.ts';
import { MANIFESTS } from './manifests.ts';

/** The options that choose the file with the hooks. */
export const PLACE_OPTIONS = {
  user: { type: 'boolean', help: 'in all your projects; the default' },
  project: { type: 'boolean', help: 'only in the project of this folder' },
} as const;

interface Place {
  readonly user?: boolean | undefined;
  readonly project?: boolean | undefined;
}

/** The real path of a file, or of the nearest folder above it that exists. */
async function existingPart(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) throw error;
    return existingPart(dirname(path));
  }
}

/** Refuses a file outside of its project: the symbolic links of a repository can point to any file of the user. */
async function assertInside(folder: string, file: string): Promise<void> {
  const [root, target] = await Promise.all([realpath(folder), existingPart(file)]);
  if (`${target}${sep}`.startsWith(`${root}${sep}`)) return;
  throw new CommandError(
    `--project: ${file} leads out of the project, to ${target}: remove the symbolic link`,
  );
}

/**
 * The file with the hooks of an agent.
 * @throws CommandError
 */
export async function hooksFile(agent: Agent, { user, project }: Place): Promise<string> {
  if (user === true && project === true) throw new CommandError('choose --user or --project, not both');
  const { userFile, projectFile } = MANIFESTS[agent];
  if (project !== true) return userFile();
  const folder = await projectFolder(invocationFolder());
  if (folder === null) throw new CommandError('--project: run this in the folder of a project');
  const file = join(folder, projectFile);
  await assertInside(folder, file);
  return file;
}

/**
 * Refuses a second installation: the agent runs the hooks of both places, so a session of the project would be searched
 * for and staged twice, perhaps in two Teams.
 * @throws CommandError
 */
export async function assertNotInOtherPlace(agent: Agent, { project }: Place): Promise<void> {
  const own = project === true ? 'project' : 'user';
  const other = (await installedHooks(agent)).find(({ place }) => place !== own);
  if (other === undefined) return;
  const remedy =
    other.place === 'plugin'
      ? `remove the plugin with ${MANIFESTS[agent].removePlugin}`
      : `remove them with ${PROGRAM} hook uninstall ${agent} --${other.place}`;
  throw new CommandError(`${other.file} has these hooks too, and the agent would run both: ${remedy}`);
}
