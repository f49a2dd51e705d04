import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { invocationFolder } from '../terminal/invocation-folder.ts';
import { childEnvironment } from './environment.ts';

/** More than any command that answers as asked prints. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

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
 * error is shown. It gets no settings of the service and of the client, because they contain credentials.
 * @param what what the command is for, for messages
 * @param timeoutMs after this time, the command is ended
 * @throws CommandError if it cannot be started, fails, takes too long or prints too much
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
    timeout: timeoutMs,
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else child.kill();
  });
  // A command that does not read its input closes it, and can succeed nevertheless.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const failure = await new Promise<string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      if (bytes > MAX_OUTPUT_BYTES) resolve('it printed too much');
      else if (signal !== null)
        resolve(`it was ended by ${signal}, or took longer than ${timeoutMs / 1000} s`);
      else resolve(code === 0 ? null : `exit code ${code}`);
    });
  });
  if (failure !== null)
    throw new CommandError(`${what}: the command failed (${failure}): ${programName(command)}`);
  return Buffer.concat(chunks).toString('utf8');
}
