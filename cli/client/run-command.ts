import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { oneLine } from '../terminal/columns.ts';
import { CommandError, Interrupted } from '../terminal/command-error.ts';
import { invocationFolder } from '../terminal/program.ts';
import { catchSignals, type Ending } from '../terminal/progress-bar.ts';
import { childEnvironment } from './environment.ts';

/** More than any command that answers as asked prints. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The time in which a command can end by itself. Then it is killed. */
const GRACE_MS = 2000;
/** Windows has no process groups. There, only the shell is ended. */
const HAS_GROUPS = process.platform !== 'win32';

/** Sends a signal to a command: to its shell and everything that the shell has started. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // All of them have ended.
  }
}

/** A word of a command line of a shell, with the quoted parts in it. */
const WORDS = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>()])+/gs;

/**
 * The name of the program that a command runs first, without its folder. Messages contain only this, because arguments
 * and the variables before the program can contain secrets.
 */
export function programName(command: string): string {
  const words = command.match(WORDS) ?? [];
  const program = words.find((word) => !/^\w+=/.test(word)) ?? '';
  return oneLine(basename(program.replaceAll(/['"]/g, ''))) || 'the command';
}

/**
 * Runs a command of the user in a shell: text on standard input, text on standard output. What it prints on standard
 * error is shown. It gets no settings of the service and of the client, because they contain credentials. It has a
 * process group of its own, so that it ends as a whole. Ctrl-C and other signals are passed on to it; a second one
 * kills it.
 * @param what what the command is for, for messages
 * @param timeoutMs after this time, the command is ended
 * @throws CommandError if it cannot be started, fails, takes too long or prints too much
 * @throws Interrupted if a signal arrived, whatever the command made of it
 */
export async function runCommand(
  command: string,
  input: string,
  what: string,
  timeoutMs: number,
): Promise<string> {
  const child = spawn(command, {
    shell: true,
    cwd: invocationFolder(),
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: HAS_GROUPS,
  });
  let [isInterrupted, isLate, bytes] = [false, false, 0];
  let grace: NodeJS.Timeout | undefined;
  const kill = () => {
    signalGroup(child, 'SIGKILL');
    // A program that has left the group can keep the output open.
    child.stdout.destroy();
  };
  const end = (signal: NodeJS.Signals) => {
    signalGroup(child, signal);
    grace ??= setTimeout(kill, GRACE_MS);
  };
  const onSignal = (signal: Ending) => {
    if (isInterrupted) kill();
    else if (signal === 'SIGINT') signalGroup(child, signal);
    else end(signal);
    isInterrupted = true;
  };
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else end('SIGTERM');
  });
  // A command that does not read its input closes it, and can succeed nevertheless.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const timeout = setTimeout(() => {
    isLate = true;
    end('SIGTERM');
  }, timeoutMs);
  const ended = new Promise<string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      if (bytes > MAX_OUTPUT_BYTES) resolve('it printed too much');
      else if (isLate) resolve(`it took longer than ${timeoutMs / 1000} s`);
      else if (signal !== null) resolve(`it was ended by ${signal}`);
      else resolve(code === 0 ? null : `exit code ${code}`);
    });
  });
  const failure = await catchSignals(onSignal, () => ended).finally(() => {
    clearTimeout(timeout);
    clearTimeout(grace);
  });
  if (isInterrupted) throw new Interrupted();
  if (failure !== null)
    throw new CommandError(`${what}: the command failed (${failure}): ${programName(command)}`);
  return Buffer.concat(chunks).toString('utf8');
}
