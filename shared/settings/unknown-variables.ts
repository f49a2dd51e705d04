import { SETTINGS } from './definitions.ts';
import { nearestName } from './nearest-name.ts';
import { type Environment, variableText } from './read-settings.ts';
import { type Setting, variablesOf } from './setting.ts';

/** Variables of the terminal client only. It reads them from the same `.env` file. */
export const CLIENT_VARIABLES = [
  'MEMORY_PROFILE',
  'MEMORY_NO_UPDATE_NOTIFIER',
  'MEMORY_HOOK_TIMEOUT_MS',
  'MEMORY_HOOK_DEBUG',
  'MEMORY_HOOK_CHECK',
] as const;

/** Every variable of the service and of the terminal client. */
const KNOWN = new Set<string>([
  ...Object.values<Setting>(SETTINGS).flatMap(variablesOf),
  ...CLIENT_VARIABLES,
]);

/**
 * Returns one line for each set variable that begins with MEMORY_ and is not known. The line names the nearest known
 * variable, and never contains the value. Variables of the tests are ignored.
 */
export function warnOfUnknownVariables(env: Environment): string[] {
  const settings = [...KNOWN].filter((name) => name.startsWith('MEMORY_'));
  return Object.keys(env)
    .filter((name) => name.startsWith('MEMORY_') && !name.startsWith('MEMORY_TEST_') && !KNOWN.has(name))
    .filter((name) => variableText(env, name) !== null)
    .sort()
    .map((name) => `${name} is not a setting and is ignored. Did you mean ${nearestName(name, settings)}?`);
}
