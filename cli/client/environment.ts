import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Environment, variableText } from '../../shared/settings/read-settings.ts';
import { CommandError } from '../terminal/command-error.ts';

const FILE = '.env';

/** Where a variable was found: in the environment of the process, or in the file `.env` of the working folder. */
export type Place = 'environment' | typeof FILE;

/** A variable that is set, and where. */
export interface Found {
  text: string;
  place: Place;
}

/**
 * Whether a variable is also read from `.env`. The client runs in folders of others, such as cloned repositories: their
 * file must not choose an editor, a folder of settings or anything else that runs code.
 */
const isReadFromFile = (name: string) =>
  name.startsWith('MEMORY_') || name === 'PORT' || name === 'IDENTITY_AUTH_URL';

let file: Environment | undefined;

/** The variables of `.env`. They never become variables of this process, so that programs it starts do not get them. */
function fileVariables(): Environment {
  file ??= readEnvironmentFile();
  return file;
}

function readEnvironmentFile(): Environment {
  try {
    if (statSync(FILE, { throwIfNoEntry: false })?.isFile() !== true) return {};
    return parseEnv(readFileSync(FILE, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${FILE} cannot be read (${code})`);
  }
}

/** Reads no variable of `.env` from now on. Call it before the first look for a variable. */
export function ignoreEnvironmentFile(): void {
  file = {};
}

/** Finds a variable in one place. An empty one counts as unset, as in the service. */
export function findIn(place: Place, name: string): Found | null {
  if (place === FILE && !isReadFromFile(name)) return null;
  const text = variableText(place === FILE ? fileVariables() : process.env, name);
  return text === null ? null : { text, place };
}

/** Finds a variable. One that is set in the environment, even if it is empty, hides the one of `.env`. */
export function findVariable(name: string): Found | null {
  return findIn(process.env[name] === undefined ? FILE : 'environment', name);
}

/** Whether a variable of the service or of the client can contain a credential, or be used to find one. */
function isPrivate(name: string): boolean {
  // Windows does not distinguish the case of names.
  const upper = name.toUpperCase();
  return upper.startsWith('MEMORY_') || upper === 'DATABASE_URL';
}

/** The environment of a hook that is run to check it: that of this process, as an agent passes its own on. */
export function hookEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MEMORY_HOOK_CHECK: '1', MEMORY_HOOK_DEBUG: '1' };
}

/** The environment of programs that the client starts: its own, without the settings of the service and of the client. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isPrivate(name)));
}
