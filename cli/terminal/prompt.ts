import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface, emitKeypressEvents } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { childEnvironment } from '../client/environment.ts';
import { setting } from '../client/settings.ts';
import { rejectable } from '../program/older-node.ts';
import { printable } from './columns.ts';
import { CommandError, Interrupted, withNote } from './command-error.ts';
import { invocationFolder } from './program.ts';
import { catchSignals } from './progress-bar.ts';

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

/** The terminal has ended, so that no further question can be asked. */
export class TerminalClosed extends CommandError {}

/** Questions at the terminal that are answered with one key each. */
export interface Keys {
  /**
   * Asks for one key, which is not shown. What was typed before the question is discarded.
   * @param question is printed when the terminal is ready for the key, on a line of its own
   * @returns the character, such as `p` or `?`
   * @throws Interrupted on Ctrl-C, also if it was pressed before
   * @throws TerminalClosed
   */
  read: (question: string) => Promise<string>;
  /**
   * Waits for work between two questions.
   * @throws Interrupted on Ctrl-C, without the end of the work
   */
  during: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Gives the terminal to another program while the work runs. */
  suspended: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

type Key = { ctrl: boolean; name?: string };

/**
 * Runs work that asks for keys. The terminal passes on each key at once during the whole work, so that a key that is
 * typed between two questions is not kept for the next one.
 */
export async function withKeys<Result>(work: (keys: Keys) => Promise<Result>): Promise<Result> {
  const { stdin } = process;
  let answer: ((character: string) => void) | null = null;
  const ending = rejectable();
  // It can end while nothing waits for it.
  ending.promise.catch(() => {});
  const onKey = (character: string | undefined, { ctrl, name }: Key) => {
    if (ctrl && (name === 'c' || name === 'd')) return ending.reject(new Interrupted());
    answer?.(character ?? '');
    answer = null;
  };
  const onEnd = () => ending.reject(new TerminalClosed('the terminal was closed'));
  const start = () => {
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdin.on('keypress', onKey);
    stdin.on('end', onEnd);
    stdin.resume();
  };
  const stop = () => {
    stdin.off('keypress', onKey);
    stdin.off('end', onEnd);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const during = <Value>(waited: Promise<Value>) => Promise.race([waited, ending.promise]);
  start();
  try {
    return await work({
      during,
      read: async (question) => {
        // Reads what was typed up to now.
        await during(pause(0));
        const key = new Promise<string>((resolve) => {
          answer = resolve;
        });
        process.stdout.write(`${printable(question)}\n`);
        return during(key);
      },
      suspended: async (other) => {
        stop();
        try {
          return await other();
        } finally {
          start();
        }
      },
    });
  } finally {
    stop();
  }
}

/**
 * The editor of the user: VISUAL or EDITOR, otherwise vi.
 * @throws CommandError if no editor can be started
 */
export function chosenEditor(): string {
  const chosen = setting('VISUAL') ?? setting('EDITOR');
  if (chosen !== null) return chosen;
  if (atTerminal()) return 'vi';
  throw new CommandError('no editor can be opened: standard input is not a terminal, and EDITOR is not set');
}

/**
 * Runs work without the listeners for Ctrl-C: the terminal sends it to the editor too, and there it is a key like
 * others.
 */
async function ignoringInterrupts<Value>(work: () => Promise<Value>): Promise<Value> {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.on('SIGINT', ignore);
  for (const listener of listeners) process.off('SIGINT', listener);
  try {
    return await work();
  } finally {
    // The end of the editor can be noticed before a signal that both received.
    await pause(0);
    for (const listener of listeners) process.on('SIGINT', listener);
    process.off('SIGINT', ignore);
  }
}

/** Keeps the shell alive when Ctrl-C reaches it together with the editor. The editor does not inherit this. */
const KEEP_SHELL = process.platform === 'win32' ? '' : 'trap : INT; ';

/** Opens a file in an editor, and waits until the editor ends. */
async function runEditor(editor: string, path: string): Promise<void> {
  const child = spawn(`${KEEP_SHELL}${editor} "${path}"`, {
    shell: true,
    env: childEnvironment(),
    // Standard output can be a file or a pipe, for the result of the command.
    stdio: ['inherit', process.stdout.isTTY ? 'inherit' : 2, 'inherit'],
  });
  const ended = new Promise<string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? null : `exit code ${code ?? signal}`));
  });
  let isInterrupted = false;
  const failure = await catchSignals(
    (signal) => {
      if (signal === 'SIGINT') return;
      isInterrupted = true;
      child.kill(signal);
    },
    () => ended,
  );
  if (isInterrupted) throw new Interrupted();
  if (failure !== null) throw new CommandError(`the editor failed (${failure}): ${editor}`);
}

/** Writes a text into a new file that only its owner can read. */
async function writeText(text: string): Promise<string> {
  // Only its owner can enter a folder of mkdtemp.
  const path = join(await mkdtemp(join(tmpdir(), 'team-memory-')), 'text.md');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Keeps a text in a private file, and returns what to tell the person who wrote it. */
export async function keepText(text: string): Promise<string> {
  return `what you wrote is kept in ${await writeText(text)}`;
}

/**
 * Lets a person edit a text, as often as the work asks. If the work fails, what the person wrote is kept, and the error
 * says where.
 * @param work `edit` opens the text in the editor and returns the edited text
 * @throws CommandError if there is no editor to start, or it fails
 * @throws Interrupted if a signal other than Ctrl-C arrived while the editor was open
 */
export async function editing<Value>(
  text: string,
  work: (edit: () => Promise<string>) => Promise<Value>,
): Promise<Value> {
  const editor = chosenEditor();
  const path = await writeText(text);
  let isKept = false;
  try {
    return await work(async () => {
      await ignoringInterrupts(() => runEditor(editor, path));
      return readFile(path, 'utf8');
    });
  } catch (error) {
    isKept = (await readFile(path, 'utf8').catch(() => text)) !== text;
    throw isKept ? withNote(error, `what you wrote is kept in ${path}`) : error;
  } finally {
    if (!isKept) await rm(dirname(path), { recursive: true, force: true });
  }
}

/**
 * Lets a person edit a text once.
 * @returns the edited text
 * @throws what `editing` throws
 */
export function editText(text: string): Promise<string> {
  return editing(text, (edit) => edit());
}

/** The operand that means standard input. */
const STANDARD_INPUT = '-';

/** A text that a command was given. */
export interface InputText {
  /** The name of the file; null for standard input. */
  filename: string | null;
  text: string;
}

/** Reads standard input to its end. */
export async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Reads a text from a file, or from standard input if the operand is `-` or was left out.
 * @throws CommandError if it cannot be read, is blank, or is not UTF-8 text
 */
export async function readInputText(operand: string): Promise<InputText> {
  const isStandard = operand === '' || operand === STANDARD_INPUT;
  if (operand === '' && atTerminal())
    throw new CommandError('name a file, or send the text on standard input (see --help)');
  const name = isStandard ? 'standard input' : operand;
  const reading = isStandard ? readStandardInput() : readFile(resolve(invocationFolder(), operand));
  const bytes = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${name} cannot be read (${error.code})`);
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${name} is not UTF-8 text: import reads other formats`);
  }
  if (text.trim() === '') throw new CommandError(`${name} contains no text`);
  return { filename: isStandard ? null : basename(operand), text };
}
