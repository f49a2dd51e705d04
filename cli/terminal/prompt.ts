import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from './columns.ts';
import { CommandError, Interrupted } from './command-error.ts';

/** Longer than any password. Input without an end of line up to here is refused. */
const MAX_LINE_BYTES = 8192;

/** Whether standard input is a terminal, so that a person can be asked. */
export function atTerminal(): boolean {
  return process.stdin.isTTY === true;
}

/**
 * Asks a person at the terminal for one line. The question goes to standard error, because standard output is for the
 * command's result.
 * @param secret do not show the answer
 * @throws Interrupted on Ctrl-C, after the terminal was reset
 * @throws CommandError when the terminal ends (Ctrl-D) without an answer
 */
export function askTerminal(question: string, { secret = false } = {}): Promise<string> {
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!secret) process.stderr.write(chunk);
      done();
    },
  });
  return new Promise((resolve, reject) => {
    let answered = false;
    // This turns the terminal's echo off before the question is printed, so that no typed character is shown.
    const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
    lines.on('SIGINT', () => {
      reject(new Interrupted());
      lines.close();
    });
    // Ctrl-Z is ignored. Under `npm run` the command would hang: npm keeps running and does not return to the shell.
    lines.on('SIGTSTP', () => {});
    // Closing the interface has reset the terminal.
    lines.on('close', () => {
      // Starts a new line for the next output: the line break of a hidden or missing answer was not shown.
      if (secret || !answered) process.stderr.write('\n');
      reject(new CommandError('no answer was given'));
    });
    if (secret) process.stderr.write(printable(question));
    lines.question(secret ? '' : printable(question), (answer) => {
      answered = true;
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * Reads the first line of standard input, without the line break.
 * @throws CommandError if the line is not UTF-8 text or is too long
 */
export async function readFirstLine(): Promise<string> {
  const line = await readBytes().catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new CommandError(`standard input cannot be read (${error.code})`);
  });
  try {
    // Some shells of Windows put a byte order mark before a text, which the decoder drops, and end lines with CR LF.
    return new TextDecoder('utf-8', { fatal: true }).decode(line).replace(/\r$/, '');
  } catch {
    throw new CommandError('standard input: expected text in UTF-8');
  }
}

async function readBytes(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the input, so that the command does not wait for a writer that keeps it open.
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    const end = chunk.indexOf('\n');
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    bytes += chunk.length;
    if (end >= 0) break;
    if (bytes > MAX_LINE_BYTES) throw new CommandError('standard input: the first line is too long');
  }
  return Buffer.concat(chunks);
}
