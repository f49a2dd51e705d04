import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../root.ts';
import { runnerEnvironment } from '../runner-environment.ts';
import { evidenceFolder, removeUnlessFailed } from './evidence.ts';

/** The service's own token, unless a process is given another. */
export const API_TOKEN = 'test-token-of-the-service';

/** What was started and made here, to be ended and removed. */
const groups = new Set<number>();
const started: { command: string; stdout: string[]; stderr: string[] }[] = [];
const folders: string[] = [];

/** Writes what each process printed into a new folder, and gives its path. */
function writeLogs(logs: typeof started): string {
  const folder = evidenceFolder();
  for (const [index, { command, stdout, stderr }] of logs.entries()) {
    writeFileSync(join(folder, `process-${index + 1}.log`), [command, ...stdout, ...stderr, ''].join('\n'));
  }
  return folder;
}

/**
 * Kills every process that was started here and still runs, with its own children, and removes the folders; if a test
 * failed, the folders and the logs of the processes are kept. Call it when the tests of a file are done:
 * `after(endProcesses)`. It is not called automatically, because an `after` inside a `before` runs as soon as that hook
 * is done.
 */
export async function endProcesses(): Promise<void> {
  for (const group of groups) killGroup(group);
  groups.clear();
  const logs = started.splice(0);
  removeUnlessFailed(folders.splice(0), () => (logs.length > 0 ? writeLogs(logs) : undefined));
}

/**
 * Keeps the folders of this module and the logs of its processes, and gives their paths: for a failure outside of
 * node:test. Otherwise `endProcesses` does so.
 */
export function keepEvidence(): string[] {
  return [...folders.splice(0), writeLogs(started.splice(0))];
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** A process of the service under test, with all that it said so far. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /**
   * The first line of standard output that matches, said already or yet to come.
   * @throws Error with all that the process said, when it ends before
   */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** Kills it and its children without a chance to clean up, and waits until they are gone. */
  kill9(): Promise<void>;
}

export interface ProcessOptions {
  /** Working folder; the repository's root where left out. */
  cwd?: string;
  /** Environment beyond PATH; nothing of the tests' own MEMORY_* goes along. */
  env?: Record<string, string>;
}

function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    ...runnerEnvironment(),
    MEMORY_API_TOKEN: API_TOKEN,
    MEMORY_RATE_LIMITS: 'off',
    // No load balancer has to notice the end of a process.
    MEMORY_DRAIN_SECONDS: '0',
    ...env,
  };
}

/** Starts a command, in a process group of its own. */
export function startCommand(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): ServiceProcess {
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: environment(options.env ?? {}),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid;
  assert.ok(group, `${command} does not start`);
  groups.add(group);
  const stdout: string[] = [];
  const stderr: string[] = [];
  started.push({ command: [command, ...args].join(' '), stdout, stderr });
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on('line', (text) => {
    stdout.push(text);
    wake();
  });
  createInterface({ input: child.stderr }).on('line', (text) => stderr.push(text));
  let ended = false;
  // 'close' and not 'exit': all that it said has been read then.
  const exited = once(child, 'close').then(([code, signal]) => {
    ended = true;
    wake();
    return (code ?? signal) as number | NodeJS.Signals;
  });
  const line = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      let seen = 0;
      const look = () => {
        for (; seen < stdout.length; seen += 1) {
          const match = pattern.exec(stdout[seen] ?? '');
          if (match === null) continue;
          waiting.delete(look);
          resolve(match);
          return;
        }
        if (!ended) return;
        waiting.delete(look);
        reject(new Error(`ended without a line ${pattern}:\n${[...stdout, ...stderr].join('\n')}`));
      };
      waiting.add(look);
      look();
    });
  return {
    child,
    stdout,
    stderr,
    exited,
    line,
    kill9: async () => {
      killGroup(group);
      await exited;
    },
  };
}

/** Starts one of the service's mains, such as `start.ts`. */
export function startMain(file: string, options: ProcessOptions = {}): ServiceProcess {
  return startCommand(process.execPath, [join(ROOT, file)], options);
}

/** Waits for the address that `start.ts` prints once it answers. */
export async function printedUrl(service: ServiceProcess): Promise<string> {
  const [, url] = await service.line(/^Team memory listens on (\S+)$/);
  assert.ok(url);
  return url;
}

/** A new empty folder, removed by `endProcesses`. */
export async function temporaryFolder(): Promise<string> {
  const folder = evidenceFolder();
  folders.push(folder);
  return folder;
}

/**
 * A new folder for a service on the embedded database, which finds there what it would else make in some seconds: a
 * migrated database that no one has used. Removed by `endProcesses`.
 */
export async function serviceFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const prepared = process.env['MEMORY_TEST_DATA_DIR'];
  if (prepared !== undefined) await cp(prepared, join(folder, '.data'), { recursive: true });
  return folder;
}

/** Ports on which nothing listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** What a JSON log line says, for lines that are one. */
export function logLines(service: ServiceProcess): Record<string, unknown>[] {
  return service.stdout
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Record<string, unknown>);
}
