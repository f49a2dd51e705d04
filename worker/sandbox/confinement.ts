import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noNetworkFilter } from './network-filter.ts';

/*
 * What the operating system forbids a process that reads files, beyond Node's permission model. That model cannot
 * forbid the network in Node 24 (`--allow-net` came with Node 25) and cannot end a busy process whose parent is gone.
 * Both need a program that changes the process before Node starts in it. Which of them work depends on the kernel,
 * the version of util-linux and the container, so each is tried once, and the first that works is used.
 */

/**
 * - `filter`: a seccomp filter refuses sockets and signals (util-linux 2.41 or later). Needs no rights.
 * - `namespace`: the process is in an empty network namespace. Needs unprivileged user namespaces. Unix sockets that
 *   are files, and processes of the same user, can still be reached.
 * - `setpriv`: the network is open. The kernel ends the process with its parent.
 * - `shell`: the network is open. A shell beside the process ends it with its parent (macOS, Alpine).
 * - `none`: neither.
 */
export type ConfinementName = 'filter' | 'namespace' | 'setpriv' | 'shell' | 'none';

/** How a process is started so that it is confined. */
export interface Confinement {
  name: ConfinementName;
  /** Whether the process is kept from the network. */
  network: 'forbidden' | 'open';
  /** Programs and arguments to put before Node's own, for a process that may hold so much memory. */
  prefix: (megabytes: number) => readonly string[];
  /** What the first of them reads from standard input. */
  stdin: number | 'ignore';
}

/** From the strictest to the one that always works. */
const ALL: readonly ConfinementName[] = ['filter', 'namespace', 'setpriv', 'shell', 'none'];

/** A machine under load can take long to start Node. */
const PROBE_MS = 30_000;
const PROBE_MEGABYTES = 1024;

/** Readable by the process, as the code that it runs must be. */
const CODE = fileURLToPath(new URL('./reading-process.ts', import.meta.url));

/** Exits with 0 if the process can read code and cannot send a packet. Connecting a datagram socket sends nothing. */
const REACHES_NO_NETWORK = `
  require('node:fs').readFileSync(process.argv[1]);
  process.on('uncaughtException', () => process.exit(0));
  require('node:dgram').createSocket('udp4').connect(9, '127.0.0.1', (error) => process.exit(error ? 0 : 1));`;
const STARTS = `require('node:fs').readFileSync(process.argv[1]);`;

const MIB = 1024 * 1024;
/** What Node maps beyond a file's memory: stacks of its threads, its allocator's arenas and its own heap. */
const OWN_DATA_BYTES = 1024 * MIB;

/**
 * A second wall each: no memory image of a file's content on disk, no file written at all, and an end to memory where
 * the parent is too busy to look at it. Twice the bound, so that the parent is first as a rule: it knows the reason.
 */
const limits = (megabytes: number) => {
  const data = 2 * megabytes * MIB + OWN_DATA_BYTES;
  return ['prlimit', '--core=0', '--fsize=0', `--data=${data}`, '--'];
};
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'];

/**
 * Runs Node under a shell's child that ends it within a second of its parent's end. That child closes the channel
 * to the parent (descriptor 3), whose end Node must see. The shell itself becomes Node, with the same process id.
 */
const WATCHED_BY_SHELL = `
  ulimit -c 0; ulimit -f 0
  parent=$PPID reader=$$
  (
    trap '' INT TERM
    while kill -0 "$parent" && kill -0 "$reader"; do sleep 1; done
    kill -9 "$reader"
  ) >/dev/null 2>&1 </dev/null 3>&- &
  unset PWD OLDPWD SHLVL _
  exec "$@"`;

/** The filter as an open file that is already deleted from its folder, or null if it cannot be made. */
function filterFile(): number | null {
  const filter = noNetworkFilter(process.arch);
  if (process.platform !== 'linux' || filter === null) return null;
  try {
    const folder = mkdtempSync(join(tmpdir(), 'team-memory-filter-'));
    try {
      const path = join(folder, 'filter');
      writeFileSync(path, filter, { mode: 0o600 });
      return openSync(path, 'r');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    return null;
  }
}

function confinementOf(name: ConfinementName): Confinement | null {
  switch (name) {
    case 'filter': {
      const stdin = filterFile();
      if (stdin === null) return null;
      const filtered = [...END_WITH_PARENT, '--seccomp-filter', '/dev/stdin', '--'];
      return {
        name,
        network: 'forbidden',
        prefix: (megabytes) => [...limits(megabytes), ...filtered],
        stdin,
      };
    }
    case 'namespace': {
      // Not --fork: the process that is watched and killed must be the one that reads.
      // The limits come after it: it writes the map of users, which counts as a file.
      const unshare = ['unshare', '--map-current-user', '--net', '--'];
      return {
        name,
        network: 'forbidden',
        prefix: (megabytes) => [...unshare, ...limits(megabytes), ...END_WITH_PARENT, '--'],
        stdin: 'ignore',
      };
    }
    case 'setpriv':
      return {
        name,
        network: 'open',
        prefix: (megabytes) => [...limits(megabytes), ...END_WITH_PARENT, '--'],
        stdin: 'ignore',
      };
    case 'shell':
      return { name, network: 'open', prefix: () => ['sh', '-c', WATCHED_BY_SHELL, 'sh'], stdin: 'ignore' };
    case 'none':
      return { name, network: 'open', prefix: () => [], stdin: 'ignore' };
  }
}

/** What to start, and its first arguments, so that Node runs behind this prefix. */
export function commandOf([first, ...rest]: readonly string[]): { program: string; args: string[] } {
  return first === undefined
    ? { program: process.execPath, args: [] }
    : { program: first, args: [...rest, process.execPath] };
}

/** Whether this machine can confine a process so. */
function works({ name, network, prefix, stdin }: Confinement): Promise<boolean> {
  // What starts without it is told by each reading, which is tried again.
  if (name === 'none') return Promise.resolve(true);
  const { program, args } = commandOf(prefix(PROBE_MEGABYTES));
  const script = network === 'forbidden' ? REACHES_NO_NETWORK : STARTS;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, '-e', script, CODE], {
      env: {},
      stdio: [stdin, 'ignore', 'ignore'],
      // In a group of its own: Ctrl-C must not decide how files are read.
      detached: true,
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

async function firstThatWorks(names: readonly ConfinementName[]): Promise<Confinement> {
  for (const name of names) {
    const confinement = confinementOf(name);
    if (confinement === null) continue;
    if (await works(confinement)) return confinement;
    if (typeof confinement.stdin === 'number') closeSync(confinement.stdin);
  }
  throw new Error(`processes that read files cannot be started by ${names.join(', ')}`);
}

let strictest: Promise<Confinement> | null = null;

/**
 * Finds the strictest confinement that works on this machine. The default is looked for once in each process.
 * @param names what to try instead of everything
 * @throws Error if none of them works
 */
export function findConfinement(names?: readonly ConfinementName[]): Promise<Confinement> {
  if (names !== undefined) return firstThatWorks(names);
  strictest ??= firstThatWorks(ALL);
  return strictest;
}
