import { exec } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { hookEnvironment } from '../client/environment.ts';
import { type Check, ok, warning } from '../client/service-checks.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { invocationFolder, PROGRAM } from '../terminal/program.ts';
import { day, toSecond } from '../terminal/times.ts';
import { AGENTS, type Agent, ownCommand, shellWord } from './hook-options.ts';
import { allInstalledHooks, type InstalledHook, installedHooks, MANIFESTS } from './installed-hooks.ts';
import { projectFolder } from './recall.ts';
import { readFailingHooks } from './run-hook.ts';
import { readStagingState } from './state.ts';

/** Longer than any hook takes. */
const TIMEOUT_MS = 60_000;
/** What a shell answers if there is no such program. */
const NOT_FOUND = process.platform === 'win32' ? 9009 : 127;
/** So many forms are named. */
const MAX_FORMS = 5;

/** How a hook ended. */
interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What an agent sends to the hook of an event. The home is no project, and a hook searches for nothing there. */
async function inputOf(event: string): Promise<string> {
  const folder = invocationFolder();
  const cwd = (await projectFolder(folder)) ?? join(folder, PROGRAM);
  return JSON.stringify({
    hook_event_name: event,
    session_id: `${PROGRAM}-doctor`,
    transcript_path: '',
    cwd,
    source: 'startup',
    reason: 'other',
    prompt: `What has the team already decided about ${basename(cwd)}, and why?`,
  });
}

/** Runs a hook as the agent does: in a shell, with the input of the event. */
async function run({ command, event }: InstalledHook): Promise<Ended> {
  const input = await inputOf(event);
  return new Promise((resolve) => {
    const options = { cwd: invocationFolder(), env: hookEnvironment(), timeout: TIMEOUT_MS };
    const child = exec(command, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr }),
    );
    // A command that does not read its input closes it.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The hook and the options that `hook install` writes. An address can have quotation marks: that of IPv6 has brackets. */
const INSTALLED =
  /^ (?:session-start|prompt|turn-end|session-end) --agent (?:claude-code|codex)(?<profile> --profile [\w-]+)? --url (?<address>'?[\w@%+=:,./[\]-]+'?) --team [\w-]+(?: --client [\w-]+)?$/;

/**
 * Whether a hook can be run. The file of a project can come from somebody else: it must contain exactly what `hook install`
 * writes, and cannot send MEMORY_API_TOKEN to another address than the one it is meant for. A session has its own address.
 */
function isSafe({ place, command }: InstalledHook, url: string | null): boolean {
  if (place !== 'project') return true;
  const own = ownCommand('hook');
  const { profile, address } =
    (command.startsWith(own) && INSTALLED.exec(command.slice(own.length))?.groups) || {};
  return profile !== undefined || (url !== null && address === shellWord(url));
}

const NAME = 'Hook';

const titleOf = ({ agent, event, place }: InstalledHook) => `${MANIFESTS[agent].name}, ${event} (${place})`;

const installAgain = ({ agent, place }: InstalledHook) =>
  `${PROGRAM} hook install ${agent}${place === 'project' ? ' --project' : ''}`;

function remedyFor(hook: InstalledHook, code: number, url: string | null): string {
  if (hook.place !== 'plugin') return `correct this, or install the hooks again: ${installAgain(hook)}`;
  return code === NOT_FOUND
    ? `install the terminal client so that ${PROGRAM} is on the PATH where the agent runs: npm install -g ${url ?? '<address of the service>'}/cli.tgz`
    : 'correct this where the agent runs: the plugin uses MEMORY_API_TOKEN, otherwise the session that login saved';
}

async function checkHook(hook: InstalledHook, url: string | null): Promise<Check> {
  const title = titleOf(hook);
  if (!isSafe(hook, url)) {
    const detail = `${title} was not run: it is the command of another program, or sends a token elsewhere: ${hook.command}`;
    return warning(NAME, detail, `read ${hook.file}; to replace its hooks: ${installAgain(hook)}`);
  }
  const { code, stdout, stderr } = await run(hook);
  const reason = stderr.trim();
  if (code !== 0 || reason !== '') {
    const detail = `${title} failed: ${reason === '' ? `exit code ${code}` : oneLine(reason)}`;
    return { name: NAME, state: 'failed', detail, remedy: remedyFor(hook, code, url) };
  }
  const output = stdout.trim();
  return output === ''
    ? ok(NAME, `${title} works, and prints nothing: nothing that is stored is about this folder`)
    : { ...ok(NAME, `${title} works, and prints:`), output };
}

/** Whether an agent runs the hooks of several places. */
function checkPlaces(agent: Agent, hooks: readonly InstalledHook[]): Check[] {
  const files = [...new Set(hooks.filter((hook) => hook.agent === agent).map(({ file }) => file))];
  if (files.length < 2) return [];
  const detail = `${MANIFESTS[agent].name} runs these hooks several times, from ${files.join(' and ')}`;
  const remedy = `remove all but one: ${PROGRAM} hook uninstall ${agent}, with --project for those of this project, or ${MANIFESTS[agent].removePlugin}`;
  return [warning(NAME, detail, remedy)];
}

/** What the hooks of an agent have stored about the sessions so far. */
async function checkStored(agent: Agent): Promise<Check[]> {
  const { name } = MANIFESTS[agent];
  const { lastStagedAt, lastError, unknownForms } = await readStagingState(agent);
  const failing = await readFailingHooks(agent);
  const checks = failing.map(({ hook, since, message }) =>
    warning(
      NAME,
      `${name}: ${hook} has not worked since ${day(since)}: ${message}`,
      'correct this where the agent runs',
    ),
  );
  if (lastError !== null && !failing.some(({ message }) => message === lastError.message)) {
    const detail = `${name}: the last session was not staged (${toSecond(lastError.at)}): ${lastError.message}`;
    checks.push(
      warning(
        NAME,
        detail,
        'correct this: a later hook of this agent stages it, for 30 days, as long as its transcript exists',
      ),
    );
  }
  const [latest] = unknownForms;
  if (latest !== undefined) {
    const forms = unknownForms.slice(0, MAX_FORMS).map(({ form }) => form);
    const more = unknownForms.length > MAX_FORMS ? `, and ${unknownForms.length - MAX_FORMS} more` : '';
    const detail = `${name} writes records of a form that is not known, so what they say is not staged: ${forms.join(', ')}${more} (${toSecond(latest.at)}, ${latest.file})`;
    checks.push(
      warning(NAME, detail, 'install the latest version of the terminal client, or report these forms'),
    );
  }
  if (lastStagedAt !== null)
    checks.push(ok(NAME, `${name}: a session was last staged at ${toSecond(lastStagedAt)}`));
  return checks;
}

/**
 * Runs each installed hook once, without staging anything, and reads what they have stored.
 * @param url the address that MEMORY_API_TOKEN is meant for; null if it is not known
 */
export async function checkHooks(url: string | null): Promise<Check[]> {
  const hooks = await allInstalledHooks();
  const checks: Check[] = [];
  // One after the other, as agents run them: several at once would take longer than an agent waits.
  for (const hook of hooks) checks.push(await checkHook(hook, url));
  for (const agent of AGENTS) checks.push(...checkPlaces(agent, hooks), ...(await checkStored(agent)));
  return checks;
}

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
