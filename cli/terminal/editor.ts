import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childEnvironment } from '../client/environment.ts';
import { setting } from '../client/settings.ts';
import { CommandError, Interrupted, withNote } from './command-error.ts';
import { catchSignals } from './interruptible.ts';
import { atTerminal } from './prompt.ts';

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
