import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError, Interrupted } from './command-error.ts';

/** More than any password has: what goes on without an end of line is no answer. */
const MAX_LINE_BYTES = 8192;

/** Whether a person at a terminal can be asked. */
export function atTerminal(): boolean {
  return process.stdin.isTTY === true;
}

/**
 * Asks a person at the terminal for one line. Asked on standard error: standard output is the command's result.
 * @param secret show nothing of the answer
 * @throws Interrupted on Ctrl-C, with the terminal as it was
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
    // Turns the terminal's own echo off before the question is seen: no letter typed after it shows.
    const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
    lines.on('SIGINT', () => {
      reject(new Interrupted());
      lines.close();
    });
    // Stopped under `npm run`, it would hang: npm goes on, and the shell never gets the terminal.
    lines.on('SIGTSTP', () => {});
    // Closed, the terminal is as it was before.
    lines.on('close', () => {
      // Else what is said next would stand behind the question: the end of a hidden line is hidden too.
      if (secret || !answered) process.stderr.write('\n');
      reject(new CommandError('no answer was given'));
    });
    if (secret) process.stderr.write(question);
    lines.question(secret ? '' : question, (answer) => {
      answered = true;
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * The first line of standard input, without its end.
 * @throws CommandError for a line that is no text or has no end
 */
export async function readFirstLine(): Promise<string> {
  const line = await readBytes().catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new CommandError(`standard input cannot be read (${error.code})`);
  });
  try {
    // Some shells of Windows put a mark before a text, which the decoder drops, and end lines with two characters.
    return new TextDecoder('utf-8', { fatal: true }).decode(line).replace(/\r$/, '');
  } catch {
    throw new CommandError('standard input: expected text in UTF-8');
  }
}

async function readBytes(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Left at the end of the line, it closes the input: a writer that holds it open must not hold up the command.
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    const end = chunk.indexOf('\n');
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    bytes += chunk.length;
    if (end >= 0) break;
    if (bytes > MAX_LINE_BYTES) throw new CommandError('standard input: the first line is too long');
  }
  return Buffer.concat(chunks);
}
