import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ChildProcess, execFile, execFileSync, spawn } from '../../support/needs/command.ts';
import { ROOT } from '../../support/root.ts';

/*
 * The Debian whose servers the tests start. They run in it by chroot, on ports of 127.0.0.1, as the user `postgres`,
 * because PostgreSQL and PgBouncer refuse to run as root.
 */

const execute = promisify(execFile);
const USER = 'postgres';
/** How long a server can take until its port answers, and how often it is asked. */
const START_MS = 60_000;
const POLL_MS = 50;

let folder: string | undefined;
/** The folder of the Debian, unpacked by the first call, which can take two minutes. Needs root. */
export function debian(): string {
  folder ??= execFileSync('.ci/cluster', { cwd: ROOT, encoding: 'utf8' }).trim();
  return folder;
}

const started = new Set<ChildProcess>();
const folders: string[] = [];

/** Makes a folder for the files of a server. Gives its path on this machine, and as the server sees it. */
export async function makeFolder(name: string): Promise<{ path: string; inside: string }> {
  const parent = join(debian(), 'srv');
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, `${name}-`));
  folders.push(path);
  await execute('chroot', [debian(), 'chown', USER, path.slice(debian().length)]);
  await chmod(path, 0o700);
  return { path, inside: path.slice(debian().length) };
}

function chrootArguments(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const variables = Object.entries({
    PATH: '/usr/lib/postgresql/17/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LC_ALL: 'C.UTF-8',
    ...env,
  }).map(([name, value]) => `${name}=${value}`);
  return [`--userspec=${USER}:${USER}`, debian(), '/usr/bin/env', '-i', ...variables, command, ...args];
}

/**
 * Runs a command in the Debian to its end, and gives its standard output.
 * @throws Error with its standard error if it fails
 */
export async function runInside(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await execute('chroot', chrootArguments(command, args, env));
  return stdout;
}

/** A server in the Debian. */
export interface Server {
  /** Of the server itself: chroot and env do not stay between. */
  readonly pid: number;
  /** All that it has printed so far. */
  readonly log: string[];
  /** Sends a signal, and waits for the end of the server if `ends` is true. */
  signal(name: NodeJS.Signals, ends?: boolean): Promise<void>;
}

/** Starts a server in the Debian, in the foreground. It is killed by `endServers` at the latest. */
export function startInside(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Server {
  const child = spawn('chroot', chrootArguments(command, args, env), { stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => log.push(text));
  }
  started.add(child);
  const exited = once(child, 'exit').then(() => started.delete(child));
  return {
    pid: child.pid ?? 0,
    log,
    signal: async (name, ends = false) => {
      child.kill(name);
      if (ends) await exited;
    },
  };
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * Waits until `answers` is true.
 * @throws Error with what the server has printed, after a minute
 */
export async function waitFor(answers: () => Promise<boolean>, server?: Server): Promise<void> {
  const until = performance.now() + START_MS;
  while (!(await answers().catch(() => false))) {
    if (performance.now() > until) throw new Error(`no answer within a minute: ${server?.log.join('')}`);
    await sleep(POLL_MS);
  }
}

/** Whether something listens on a port of 127.0.0.1. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

/** Kills all servers that were started here, and removes their folders. Call it by `after(endServers)`. */
export async function endServers(): Promise<void> {
  const ends = [...started].map(async (child) => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await Promise.all(ends);
  await Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true })));
}
