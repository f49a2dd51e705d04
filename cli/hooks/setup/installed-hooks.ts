import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseRecord } from '../../client/private-file.ts';
import { invocationFolder } from '../../terminal/invocation-folder.ts';
import { AGENTS, type Agent } from '../agents.ts';
import { projectFolder } from '../recall/project.ts';
import { ownHooks } from './hooks-file.ts';
import { MANIFESTS } from './manifests.ts';

/** A hook of this program that an agent runs. */
export interface InstalledHook {
  agent: Agent;
  /** Whether it is in the file of the user, in that of the project of this folder, or in a plugin. */
  place: 'user' | 'project' | 'plugin';
  file: string;
  event: string;
  /** What the agent runs in a shell. */
  command: string;
}

/** The name of the plugins of this program. */
const PLUGIN = 'team-memory';

/** A plugin in the list of Claude Code. One that is installed for the user has no project. */
interface InstalledPlugin {
  installPath?: unknown;
  projectPath?: unknown;
}

const readRecord = async (path: string) => parseRecord(await readFile(path, 'utf8').catch(() => '')) ?? {};

/**
 * The folders of the plugin in Claude Code: those that are installed for the user or for this project, and not disabled. The
 * settings of a project count more than those of the user.
 */
async function claudeCodePlugins(userFile: string, project: string | null): Promise<string[]> {
  const { plugins } = await readRecord(join(dirname(userFile), 'plugins', 'installed_plugins.json'));
  const ofProject = project === null ? [] : ['settings.json', 'settings.local.json'];
  const files = [userFile, ...ofProject.map((name) => join(project ?? '', '.claude', name))];
  const enabled = new Map(
    (await Promise.all(files.map(readRecord))).flatMap(({ enabledPlugins }) =>
      Object.entries(enabledPlugins ?? {}),
    ),
  );
  return Object.entries((plugins ?? {}) as Record<string, unknown>)
    .filter(([name]) => name.startsWith(`${PLUGIN}@`) && enabled.get(name) !== false)
    .flatMap(([, installed]) => (Array.isArray(installed) ? (installed as InstalledPlugin[]) : []))
    .filter(({ projectPath = project }) => projectPath === project)
    .flatMap(({ installPath }) => (typeof installPath === 'string' ? [installPath] : []));
}

/** The folders of the plugin in Codex, which removes them with the plugin: `plugins/cache/<marketplace>/<plugin>/<version>`. */
async function codexPlugins(userFile: string): Promise<string[]> {
  const cache = join(dirname(userFile), 'plugins', 'cache');
  const list = (folder: string) => readdir(folder).catch((): string[] => []);
  const plugins = (await list(cache)).map((marketplace) => join(cache, marketplace, PLUGIN));
  const versions = await Promise.all(
    plugins.map(async (plugin) => (await list(plugin)).map((version) => join(plugin, version))),
  );
  return versions.flat();
}

const PLUGINS: Readonly<Record<Agent, (userFile: string, project: string | null) => Promise<string[]>>> = {
  'claude-code': claudeCodePlugins,
  codex: codexPlugins,
};

/** The files in which an agent looks for hooks, for a session in a folder. */
async function filesOf(agent: Agent, folder: string): Promise<Pick<InstalledHook, 'place' | 'file'>[]> {
  const { userFile, projectFile } = MANIFESTS[agent];
  const user = userFile();
  const project = await projectFolder(folder);
  const plugins = await PLUGINS[agent](user, project);
  return [
    { place: 'user', file: user },
    ...(project === null ? [] : [{ place: 'project', file: join(project, projectFile) } as const]),
    ...plugins.map((plugin) => ({ place: 'plugin', file: join(plugin, 'hooks', 'hooks.json') }) as const),
  ];
}

/** The hooks of this program that an agent runs in a session in this folder. */
export async function installedHooks(agent: Agent): Promise<InstalledHook[]> {
  const files = await filesOf(agent, invocationFolder());
  const found = await Promise.all(
    files.map(async (where) =>
      (await ownHooks(where.file)).map((hook): InstalledHook => ({ agent, ...where, ...hook })),
    ),
  );
  return found.flat();
}

/** The hooks of this program that any agent runs in a session in this folder. */
export async function allInstalledHooks(): Promise<InstalledHook[]> {
  return (await Promise.all(AGENTS.map(installedHooks))).flat();
}
