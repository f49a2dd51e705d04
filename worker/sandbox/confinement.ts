import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noNetworkFilter } from './network-filter.ts';

/*
 * Restrictions of the operating system for processes that read files, in addition to Node's permission model. In
 * Node 24, that model cannot forbid the network (`--allow-net` came with Node 25) and cannot end a busy process whose
 * parent has ended. Both need a program that changes the process before Node starts in it. Which programs work depends
 * on the kernel, the version of util-linux and the container, so each is tried once, and the first that works is used.
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

/** A way to start a process with restrictions. */
export interface Confinement {
  name: ConfinementName;
  /** Whether the process can use the network. */
  network: 'forbidden' | 'open';
  /** Programs and arguments to put before Node's own, for a process with this memory limit. */
  prefix: (megabytes: number) => readonly string[];
  /** The standard input of the first program. */
  stdin: number | 'ignore';
}

/** From the strictest to the one that always works. */
const ALL: readonly ConfinementName[] = ['filter', 'namespace', 'setpriv', 'shell', 'none'];

/** A machine under load can take long to start Node. */
const PROBE_MS = 30_000;
const PROBE_MEGABYTES = 1024;

/** A file that the process must be able to read, like all its code. */
const CODE = fileURLToPath(new URL('./reading-process.ts', import.meta.url));

/** Exits with 0 if the process can read code and cannot send a packet. Connecting a datagram socket sends nothing. */
const REACHES_NO_NETWORK = `
  require('node:fs').readFileSync(process.argv[1]);
  process.on('uncaughtException', () => process.exit(0));
  require('node:dgram').createSocket('udp4').connect(9, '127.0.0.1', (error) => process.exit(error ? 0 : 1));`;
const STARTS = `require('node:fs').readFileSync(process.argv[1]);`;

const MIB = 1024 * 1024;
/** Memory that Node maps for itself: stacks of its threads, arenas of its allocator and its own heap. */
const OWN_DATA_BYTES = 1024 * MIB;

/**
 * Additional limits: no core dump with a file's content, no writing of files, and a limit on memory in case the parent
 * is too busy to check it. The memory limit is twice the bound, so that usually the parent acts first: it knows the
 * reason.
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
      // Without --fork: the process that is watched and killed must be the one that reads files.
      // The limits come after `unshare`, because it writes the map of users, which counts as writing a file.
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

/** The program and the first arguments that start Node behind this prefix. */
export function commandOf([first, ...rest]: readonly string[]): { program: string; args: string[] } {
  return first === undefined
    ? { program: process.execPath, args: [] }
    : { program: first, args: [...rest, process.execPath] };
}

/** Whether this confinement works on this machine. */
function works({ name, network, prefix, stdin }: Confinement): Promise<boolean> {
  // Not tried here: if Node itself cannot start, each reading reports it and is retried.
  if (name === 'none') return Promise.resolve(true);
  const { program, args } = commandOf(prefix(PROBE_MEGABYTES));
  const script = network === 'forbidden' ? REACHES_NO_NETWORK : STARTS;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, '-e', script, CODE], {
      env: {},
      stdio: [stdin, 'ignore', 'ignore'],
      // In its own process group, so that Ctrl-C cannot make this check fail.
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
 * Finds the strictest confinement that works on this machine. Without `names`, the result is cached.
 * @param names the confinements to try, instead of all
 * @throws Error if none of them works
 */
export function findConfinement(names?: readonly ConfinementName[]): Promise<Confinement> {
  if (names !== undefined) return firstThatWorks(names);
  strictest ??= firstThatWorks(ALL);
  return strictest;
}
