import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseRecord } from '../client/private-file.ts';
import { setting } from '../client/settings.ts';
import claudeCode from '../integrations/claude-code/hooks/hooks.json' with { type: 'json' };
import codex from '../integrations/codex/hooks/hooks.json' with { type: 'json' };
import { CommandError } from '../terminal/command-error.ts';
import { invocationFolder } from '../terminal/program.ts';
import { AGENTS, type Agent, ownCommand } from './hook-options.ts';
import { projectFolder } from './recall.ts';

/** A hook in the files of both agents. */
export interface Hook {
  type: string;
  command: string;
  timeout: number;
}

/** The hooks of one event. Without a matcher, they run at each one. */
export interface HookGroup {
  matcher?: string;
  hooks: Hook[];
}

/** The hooks of an agent, by event. */
type HookGroups = Record<string, HookGroup[]>;

interface Manifest {
  name: string;
  hooks: HookGroups;
  /** The file with the hooks of a user. */
  userFile: () => string;
  /** The file with the hooks of a user in one project, inside its folder. */
  projectFile: string;
  /** The command that removes the plugin with the same hooks. */
  removePlugin: string;
  /** What the user must do after the installation. */
  advice: string;
}

const homeOf = (chosen: string | null, name: string) => chosen ?? join(homedir(), name);

/** What is known about each agent, from its public documents. */
export const MANIFESTS: Readonly<Record<Agent, Manifest>> = {
  'claude-code': {
    name: 'Claude Code',
    hooks: claudeCode.hooks,
    userFile: () => join(homeOf(setting('CLAUDE_CONFIG_DIR'), '.claude'), 'settings.json'),
    // The settings of one user: the commands contain paths of this computer.
    projectFile: join('.claude', 'settings.local.json'),
    removePlugin: 'claude plugin uninstall team-memory',
    advice: 'Sessions that start from now on use them; /hooks lists them.',
  },
  codex: {
    name: 'Codex',
    hooks: codex.hooks,
    userFile: () => join(homeOf(setting('CODEX_HOME'), '.codex'), 'hooks.json'),
    projectFile: join('.codex', 'hooks.json'),
    removePlugin: 'codex plugin remove team-memory@team-memory',
    advice:
      'Codex runs them after you have trusted them: type /hooks in Codex. SessionEnd requires Codex 0.145.',
  },
};

/** How the command of each hook in a manifest begins. */
const MANIFEST_PROGRAM = 'memory ';

/**
 * The hooks of an agent as commands of this program.
 * @param words the options of each hook
 */
export function hooksOf(agent: Agent, words: readonly string[]): HookGroups {
  const groups = Object.entries(MANIFESTS[agent].hooks).map(([event, list]) => {
    const withCommand = (hook: Hook) => ({
      ...hook,
      command: ownCommand(...hook.command.slice(MANIFEST_PROGRAM.length).split(' '), ...words),
    });
    return [event, list.map((group) => ({ ...group, hooks: group.hooks.map(withCommand) }))] as const;
  });
  return Object.fromEntries(groups);
}

/** The events at which the hooks stage a session. */
const STAGING_EVENTS = ['Stop', 'PreCompact', 'SessionEnd'];

/** The hooks that only search. */
export function withoutStaging(groups: HookGroups): HookGroups {
  return Object.fromEntries(Object.entries(groups).filter(([event]) => !STAGING_EVENTS.includes(event)));
}

/** A hook of this program: how its command ends, before its options. */
const OWN_HOOK = / hook (?:session-start|prompt|turn-end|session-end) --agent (?:claude-code|codex)(?: |$)/;

/** A file of settings with hooks. Everything else in it is kept. */
type Settings = Record<string, unknown>;

const isRecord = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isOwn(hook: unknown): hook is { command: string } {
  return isRecord(hook) && typeof hook['command'] === 'string' && OWN_HOOK.test(hook['command']);
}

/** A group without the hooks of this program; null if it had no others. */
function withoutOwn(group: unknown): unknown {
  if (!isRecord(group) || !Array.isArray(group['hooks'])) return group;
  const others = group['hooks'].filter((hook) => !isOwn(hook));
  if (others.length === group['hooks'].length) return group;
  return others.length === 0 ? null : { ...group, hooks: others };
}

/**
 * Replaces the hooks of this program in settings.
 * @param added the new hooks; none to remove the old ones
 * @throws CommandError if the hooks have another form than the agents document
 */
export function replaceHooks(settings: Settings, added: HookGroups): Settings {
  const { hooks = {}, ...others } = settings;
  if (!isRecord(hooks) || !Object.values(hooks).every(Array.isArray))
    throw new CommandError('its hooks have another form than the agent documents');
  const kept = Object.entries(hooks as Record<string, unknown[]>).flatMap(([event, groups]) => {
    const left = groups.map(withoutOwn).filter((group) => group !== null);
    // An empty list that the user wrote stays.
    return left.length === 0 && groups.length > 0 ? [] : [[event, left] as const];
  });
  const merged: Record<string, unknown[]> = Object.fromEntries(kept);
  for (const [event, groups] of Object.entries(added)) merged[event] = [...(merged[event] ?? []), ...groups];
  return Object.keys(merged).length === 0 ? others : { ...others, hooks: merged };
}

/** The hooks of this program in a file of an agent. A file that cannot be read, or has another form, has none. */
async function ownHooks(path: string): Promise<{ event: string; command: string }[]> {
  const { hooks } = parseRecord(await readFile(path, 'utf8').catch(() => '')) ?? {};
  const events = isRecord(hooks) ? Object.entries(hooks) : [];
  return events.flatMap(([event, groups]) =>
    (Array.isArray(groups) ? (groups as unknown[]) : [])
      .flatMap((group): unknown[] => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []))
      .filter(isOwn)
      .map(({ command }) => ({ event, command })),
  );
}

/** The file that a path names. Settings are often symbolic links to files that are under version control. */
const targetOf = (path: string) => realpath(path).catch(() => path);

/**
 * Replaces the hooks of this program in a file of an agent. If it does not exist, it is made.
 * @returns whether the file was changed
 * @throws CommandError, and then the file is as it was
 */
export async function changeHooksFile(path: string, added: HookGroups): Promise<boolean> {
  try {
    const target = await targetOf(path);
    const text = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    const settings = text === null || text.trim() === '' ? {} : parseRecord(text);
    if (!isRecord(settings)) throw new CommandError('it is not a JSON object');
    const changed = replaceHooks(settings, added);
    if (JSON.stringify(changed) === JSON.stringify(settings)) return false;
    await replaceFile(target, `${JSON.stringify(changed, null, 2)}\n`);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} was not changed: ${code ?? message}`);
  }
}

/** Writes a file under another name and renames it, so that the agent never reads a part of it. Its mode is kept. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      // The mode of a new file depends on the umask.
      await file.chmod(mode);
      // If the file were renamed before its text is on the disk, it could be empty after a power failure.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

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
