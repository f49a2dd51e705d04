import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { endProcesses, keepEvidence } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import { Findings, type Scenario, type ScenarioContext, Skipped } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

/*
 * `npm run test:scenarios`: breaks and loads the service on purpose, one scenario after the other, and prints one line for
 * each. Ends with 1 if a scenario is broken.
 *
 *   npm run test:scenarios -- [--list] [--seed 1] [--soak-seconds 60] [NAME...]
 *
 * The load goes to processes on 127.0.0.1 that the scenarios start. PostgreSQL is the server that
 * MEMORY_TEST_DATABASE_URL names, or one that this command starts and stops. Some scenarios require root.
 */

const execute = promisify(execFile);
const POSTGRES = '.ci/postgres';
const POSTGRES_NAME = 'faults';
/** How long a scenario that is out of time can take to stop what it waits for. */
const GRACE_MS = 5000;

/** The server of this run: the given one, or an own one that is started when the first scenario needs it. */
function postgresServer() {
  const given = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;
  let started: Promise<string> | undefined;
  const command = async (name: string) => {
    const { stdout } = await execute(POSTGRES, [name, POSTGRES_NAME], { cwd: ROOT });
    return stdout.trim();
  };
  const start = async () => {
    try {
      return await command('start');
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      throw new Skipped(`no PostgreSQL: ${stderr.trim().split('\n').at(-1)}`);
    }
  };
  return {
    url: () => (started ??= given === undefined ? start() : Promise.resolve(given)),
    crash: given === undefined ? async () => void (await command('crash')) : null,
    stop: async () => {
      if (started === undefined || given !== undefined) return;
      const isRunning = await started.then(
        () => true,
        () => false,
      );
      if (isRunning) await command('stop');
    },
  };
}

interface Settings {
  readonly seed: number;
  readonly soakSeconds: number;
  readonly interrupt: AbortSignal;
  readonly postgres: ReturnType<typeof postgresServer>;
}

/** Runs one scenario within its time, and cleans up after it. */
async function runScenario(scenario: Scenario, settings: Settings): Promise<Findings | Skipped> {
  const { seed, soakSeconds, interrupt, postgres } = settings;
  const limitSeconds = scenario.limitSeconds + (scenario.isSoak === true ? soakSeconds : 0);
  const overdue = AbortSignal.timeout(limitSeconds * 1000);
  const signal = AbortSignal.any([overdue, interrupt]);
  const cleanups: (() => unknown)[] = [];
  const context: ScenarioContext = {
    signal,
    seed,
    soakSeconds,
    postgresUrl: postgres.url,
    crashPostgres: postgres.crash,
    defer: (cleanup) => cleanups.push(cleanup),
  };
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => void sleep(GRACE_MS).then(() => reject(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => undefined);
  const findings = new Findings();
  let skipped: Skipped | undefined;
  try {
    await Promise.race([scenario.run(context, findings), aborted]);
  } catch (error) {
    if (error instanceof Skipped) skipped = error;
    else if (interrupt.aborted) findings.broken.push('interrupted');
    else findings.broken.push(overdue.aborted ? `not finished after ${limitSeconds} s` : String(error));
  }
  if (findings.broken.length > 0) findings.figures.push(`kept: ${keepEvidence().join(' ')}`);
  await endProcesses();
  for (const cleanup of cleanups.reverse()) {
    try {
      await cleanup();
    } catch (error) {
      process.stderr.write(`${scenario.name}: cleaning up failed: ${String(error)}\n`);
    }
  }
  return skipped ?? findings;
}

function lineOf(name: string, outcome: Findings | Skipped, seconds: number): string {
  const isSkipped = outcome instanceof Skipped;
  const verdict = isSkipped ? 'skipped' : outcome.broken.length > 0 ? 'BROKEN' : 'held';
  const parts = isSkipped
    ? [outcome.message]
    : [...outcome.broken.map((broken) => `BROKEN: ${broken}`), ...outcome.figures];
  // Everything about a scenario is in its one line.
  const text = parts.join('; ').replace(/\s+/g, ' ');
  return `${name.padEnd(16)} ${verdict.padEnd(8)} ${seconds.toFixed(0).padStart(4)} s  ${text}\n`;
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      'soak-seconds': { type: 'string', default: '60' },
    },
  });
  const [seed, soakSeconds] = [Number(values.seed), Number(values['soak-seconds'])];
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
  if (!(soakSeconds >= 1 && soakSeconds <= 3600)) throw new Error('--soak-seconds must be from 1 to 3600');
  const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new Error(`unknown scenario: ${unknown.join(', ')}; --list shows all`);
  const chosen = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { list: values.list, seed, soakSeconds, chosen };
}

async function main(): Promise<number> {
  const { list, chosen, ...settings } = readArguments();
  if (list) {
    for (const { name, summary } of chosen) process.stdout.write(`${name.padEnd(16)} ${summary}\n`);
    return 0;
  }
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const postgres = postgresServer();
  let broken = 0;
  try {
    for (const scenario of chosen) {
      if (interrupt.signal.aborted) return 1;
      const began = performance.now();
      const outcome = await runScenario(scenario, { ...settings, interrupt: interrupt.signal, postgres });
      if (!(outcome instanceof Skipped) && outcome.broken.length > 0) broken += 1;
      process.stdout.write(lineOf(scenario.name, outcome, (performance.now() - began) / 1000));
    }
  } finally {
    await postgres.stop();
  }
  return broken > 0 ? 1 : 0;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
