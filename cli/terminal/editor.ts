import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../client/environment.ts';
import { setting } from '../client/settings.ts';
import { CommandError } from './command-error.ts';
import { atTerminal } from './prompt.ts';

/**
 * Lets a person edit a text with VISUAL or EDITOR, otherwise vi.
 * @returns the edited text
 * @throws CommandError if there is no editor to start, or it fails
 */
export async function editText(text: string): Promise<string> {
  const chosen = setting('VISUAL') ?? setting('EDITOR');
  if (chosen === null && !atTerminal())
    throw new CommandError(
      'no editor can be opened: standard input is not a terminal, and EDITOR is not set',
    );
  const editor = chosen ?? 'vi';
  // Only its owner can enter a folder of mkdtemp.
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-'));
  try {
    const path = join(folder, 'text.md');
    await writeFile(path, text);
    const child = spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit', env: childEnvironment() });
    const failure = await new Promise<string | null>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, signal) => resolve(code === 0 ? null : `exit code ${code ?? signal}`));
    });
    if (failure !== null) throw new CommandError(`the editor failed (${failure}): ${editor}`);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
