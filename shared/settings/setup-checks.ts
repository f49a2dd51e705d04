import { type Config, ConfigError } from '../config.ts';
import { describeError } from '../lifecycle.ts';

/** What a check has found. */
export interface CheckResult {
  /** What was checked, in a word or two. */
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** What was found; if it failed, what is wrong and what to do. One line, without secrets. */
  text: string;
}

/** Checks of a part of the service, one after the other. They change nothing. */
export type SetupChecks = (config: Config) => AsyncIterable<CheckResult>;

const OPTION = '--check';

/**
 * Whether the arguments of a command ask it only to check what the service needs.
 * @throws Error for every other argument, because a service that was started by mistake could migrate a database
 */
export function asksForCheck(args: readonly string[]): boolean {
  const unknown = args.find((each) => each !== OPTION);
  if (unknown !== undefined)
    throw new Error(`the argument ${unknown} is not known; the only one is ${OPTION}`);
  return args.length > 0;
}

/** Runs a check, which returns what it has found. An error of it is its result. */
export async function checkPart(name: string, check: () => Promise<string>): Promise<CheckResult> {
  try {
    return { name, state: 'ok', text: await check() };
  } catch (error) {
    return { name, state: 'failed', text: describeError(error) };
  }
}

/** The result of reading the settings. The configuration is null if they are not valid. */
function checkSettings(read: () => Config): { config: Config | null; results: CheckResult[] } {
  const name = 'settings';
  try {
    const config = read();
    const warnings = config.warnings.map((text): CheckResult => ({ name, state: 'warning', text }));
    return { config, results: [...warnings, { name, state: 'ok', text: 'all are valid' }] };
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [describeError(error)];
    return { config: null, results: faults.map((text) => ({ name, state: 'failed', text })) };
  }
}

/**
 * Checks the settings and then the parts of the service, and prints a line for each check.
 * @param read reads the settings
 * @returns whether the service can start: no check has failed
 */
export async function checkSetup(read: () => Config, parts: readonly SetupChecks[]): Promise<boolean> {
  const { config, results } = checkSettings(read);
  let hasFailed = config === null;
  const print = ({ name, state, text }: CheckResult) => {
    hasFailed ||= state === 'failed';
    process.stdout.write(`${state.padEnd(8)} ${name.padEnd(12)} ${text}\n`);
  };
  for (const result of results) print(result);
  if (config === null) return false;
  for (const part of parts) for await (const result of part(config)) print(result);
  return !hasFailed;
}
