import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after } from 'node:test';
import { spawn } from '../../support/needs/command.ts';
import { commandsOf, type Program } from './programs.ts';

/** Longer than any run takes: a program that waits for something fails its test and is not left behind. */
const TIMEOUT_MS = 120_000;

/** How a program ended. */
export interface Ended {
  code: number;
  stdout: string;
  /** All that it printed, errors too. */
  output: string;
}

/** Where a program runs: an empty home, which is also its working folder. Nothing else of the machine is set. */
export interface Room {
  home: string;
  /** The whole environment. */
  env: Record<string, string>;
  /** Writes a file in the home. */
  write: (path: string, text: string) => Promise<void>;
  /** Runs commands of a shell, with the commands of the program on the path. */
  run: (commands: string, env?: Record<string, string>) => Promise<Ended>;
}

/** What tells programs to reach for nothing on their own. */
const QUIET = {
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CONTINUE_TELEMETRY_ENABLED: '0',
  COPILOT_OFFLINE: 'true',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
};

const folders: string[] = [];
/** Process groups that were started here: a program can leave helpers of its own. */
const groups = new Set<number>();

/** Ends what the programs of a file left running, and removes their homes. */
async function closeRooms(): Promise<void> {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  }
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
after(closeRooms);

/** A room for a program. It is removed when the tests of the file are done. */
export async function openRoom(program: Program): Promise<Room> {
  const home = await mkdtemp(join(tmpdir(), 'room-'));
  folders.push(home);
  const xdg = Object.fromEntries(
    ['config', 'cache', 'data', 'state', 'runtime'].map((name) => [
      `XDG_${name.toUpperCase()}_${name === 'runtime' ? 'DIR' : 'HOME'}`,
      join(home, `.${name}`),
    ]),
  );
  const PATH = [commandsOf(program), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const environment: Record<string, string> = {
    PATH,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...QUIET,
    ...xdg,
  };
  return {
    home,
    env: environment,
    write: async (path, text) => {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    run: async (commands, env = {}) => {
      // Files and not pipes: a helper that stays would keep a pipe open.
      const printed = join(await mkdtemp(join(home, '.printed-')), 'stdout');
      const [stdout, stderr] = await Promise.all([open(printed, 'w'), open(`${printed}-errors`, 'w')]);
      const child = spawn('bash', ['-c', commands], {
        cwd: home,
        env: { ...environment, ...env },
        stdio: ['ignore', stdout.fd, stderr.fd],
        detached: true,
      });
      if (child.pid !== undefined) groups.add(child.pid);
      const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
      const [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
      await Promise.all([stdout.close(), stderr.close()]);
      const text = await readFile(printed, 'utf8');
      const errors = await readFile(`${printed}-errors`, 'utf8');
      return { code: code ?? -1, stdout: text, output: `${text}${errors}` };
    },
  };
}
