import { spawn } from 'node:child_process';
import { setting } from '../client/settings.ts';

/** The program that opens a file as if a person had clicked on it. None of them is given to a shell. */
function opener(): string | null {
  if (process.platform === 'darwin') return 'open';
  if (process.platform === 'win32') return 'explorer.exe';
  // Without a screen, it would open the file in a program of the terminal.
  return (setting('DISPLAY') ?? setting('WAYLAND_DISPLAY')) === null ? null : 'xdg-open';
}

/**
 * Opens a file with the program of the desktop, and does not wait for it.
 * @param path an absolute path
 * @returns false if there is no such program
 */
export function openFile(path: string): Promise<boolean> {
  const program = opener();
  if (program === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [path], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
