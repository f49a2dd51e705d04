import { join } from 'node:path';
import { CommandError } from '../../terminal/command-error.ts';
import { invocationFolder } from '../../terminal/invocation-folder.ts';
import { AGENT_NAMES, type Agent, isAgent } from '../agents.ts';
import { projectFolder } from '../recall/project.ts';
import { MANIFESTS } from './manifests.ts';

/** The options that choose the file with the hooks. */
export const PLACE_OPTIONS = {
  user: { type: 'boolean', help: 'in all your projects; the default' },
  project: { type: 'boolean', help: 'only in the project of this folder' },
} as const;

/**
 * Parses the operand of a command that changes the hooks of an agent.
 * @throws CommandError
 */
export function parseAgent(operand: string): Agent {
  if (isAgent(operand)) return operand;
  throw new CommandError(`there is no agent ${JSON.stringify(operand)}: name ${AGENT_NAMES}`);
}

/**
 * The file with the hooks of an agent.
 * @throws CommandError
 */
export async function hooksFile(
  agent: Agent,
  { user, project }: { readonly user?: boolean | undefined; readonly project?: boolean | undefined },
): Promise<string> {
  if (user === true && project === true) throw new CommandError('choose --user or --project, not both');
  const { userFile, projectFile } = MANIFESTS[agent];
  if (project !== true) return userFile();
  const folder = await projectFolder(invocationFolder());
  if (folder === null) throw new CommandError('--project: run this in the folder of a project');
  return join(folder, projectFile);
}
