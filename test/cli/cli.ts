import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { execFile, spawn } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';
import { runnerEnvironment } from '../support/runner-environment.ts';

export { NO_TERMINAL } from '../support/terminal.ts';

/** The client as it is in the folder of the service. */
export const CHECKOUT = join(ROOT, 'cli/main.ts');
/** The client as its package has it, if the run has written it. */
const PACKAGED = process.env['MEMORY_TEST_CLIENT'] ?? CHECKOUT;

/** Longer than any command takes: one that hangs fails its test and is not left behind. */
const TIMEOUT_MS = 120_000;

/** How a command ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Someone who uses the command line: an empty folder is home and working folder, and nothing else is set. */
export interface Person {
  readonly home: string;
  /** Where their session is kept. */
  readonly sessionFile: string;
  /** Runs the command line. */
  run: (args: readonly string[], options?: RunOptions) => Promise<Ended>;
}

interface RunOptions {
  env?: Record<string, string>;
  /** What comes on standard input. */
  input?: string;
  /** Whether standard input stays open after the input. */
  heldOpen?: boolean;
  /** The working folder; default: the home. */
  cwd?: string;
}

/** Makes people for a file's tests. Call it at file level: the folders go when the file is done. */
export async function openHomes(client = PACKAGED): Promise<() => Promise<Person>> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-test-'));
  after(() => rm(folder, { recursive: true }));
  return async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    return {
      home,
      sessionFile: join(home, '.config', 'team-memory', 'session.json'),
      run: (args, { env = {}, input = '', heldOpen = false, cwd = home } = {}) =>
        new Promise((resolve) => {
          const options = { cwd, env: environment(home, env), timeout: TIMEOUT_MS };
          const child = execFile(process.execPath, [client, ...args], options, (error, stdout, stderr) => {
            // One that was killed has no code, and must not pass for one that ended well.
            resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
          });
          // A command that reads nothing has closed it, maybe before all is written.
          child.stdin?.on('error', () => {});
          child.stdin?.write(input);
          if (!heldOpen) child.stdin?.end();
        }),
    };
  };
}

/** What the runner set for all goes along; nothing else of the tests' own environment does. */
function environment(home: string, given: Record<string, string>): Record<string, string> {
  return { HOME: home, ...runnerEnvironment(), ...given };
}

/** Puts a session file where the command line looks for it. */
export async function keepSession({ sessionFile }: Person, content: unknown, mode = 0o600): Promise<void> {
  await mkdir(join(sessionFile, '..'), { recursive: true, mode: 0o700 });
  await writeFile(sessionFile, typeof content === 'string' ? content : JSON.stringify(content), { mode });
}

/** The kept session. */
export async function readKept({ sessionFile }: Person): Promise<Record<string, string> & { token: string }> {
  return JSON.parse(await readFile(sessionFile, 'utf8')) as Record<string, string> & { token: string };
}

/** Whether a file of a session is there, whatever it is. */
export function isKept({ sessionFile }: Person): Promise<boolean> {
  return lstat(sessionFile).then(
    () => true,
    () => false,
  );
}

/** A failure: one line on standard error, nothing on standard output. */
export function assertRefused(ended: Ended, reason: RegExp): void {
  assert.deepEqual([ended.code, ended.stdout], [1, ''], ended.stderr);
  assert.match(ended.stderr, /^memory: [^\n]+\n$/);
  assert.match(ended.stderr, reason);
}

/** Another HTTP service, with the paths that it was asked for. */
export interface OtherService {
  url: string;
  asked: string[];
  close: () => Promise<void>;
}

/** Starts another HTTP service. It is closed when the file's tests are done, if it was not before. */
export type OpenOther = (answer: RequestListener) => Promise<OtherService>;

/** Makes other services for a file's tests. Call it at file level. */
export function otherServices(): OpenOther {
  const open = new Set<() => Promise<void>>();
  after(async () => {
    for (const close of open) await close();
  });
  return async (answer) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(String(request.url));
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const close = async () => {
      if (open.delete(close)) await new Promise((closed) => server.close(closed));
    };
    open.add(close);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
  };
}

/** An address where nothing listens. */
export async function closedAddress(openOther: OpenOther): Promise<string> {
  const { url, close } = await openOther(() => {});
  await close();
  return url;
}

/**
 * Runs the command line in a pseudo-terminal and types an answer when its question shows. Afterwards the terminal's
 * settings are shown, as `stty -a` tells them.
 * @param columns the width of the terminal; 0 for one that does not tell
 * @param env more variables
 * @returns the exit code and all that the terminal showed
 */
export function runAtTerminal(
  { home }: Person,
  args: readonly string[],
  answers: readonly { question: string; typed: string }[],
  columns = 0,
  env: Record<string, string> = {},
): Promise<{ code: number | null; shown: string }> {
  const command = [process.execPath, PACKAGED, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(
    'script',
    ['-qec', `stty cols ${columns}; ${command}; code=$?; stty -a; exit $code`, '/dev/null'],
    {
      cwd: home,
      env: environment(home, { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', TERM: 'xterm', ...env }),
      timeout: TIMEOUT_MS,
    },
  );
  const open = [...answers];
  let [shown, answered] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const at = open[0] === undefined ? -1 : shown.indexOf(open[0].question, answered);
    if (at < 0) return;
    answered = shown.length;
    child.stdin.write(open.shift()?.typed ?? '');
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, shown })));
}
