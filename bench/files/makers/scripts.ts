import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Debian's Python, which has Debian's packages. */
export const PYTHON = '/usr/bin/python3';

/**
 * Runs a script of this benchmark, which gets the jobs as JSON on its standard input.
 * @throws if it fails, with its last words
 */
export async function runScript(name: string, jobs: unknown): Promise<void> {
  const command = name.endsWith('.pl') ? 'perl' : PYTHON;
  const child = spawn(command, [join(import.meta.dirname, '../scripts', name)], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(JSON.stringify(jobs));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`${name}: ${said.trim().split('\n').at(-1)}`);
}
