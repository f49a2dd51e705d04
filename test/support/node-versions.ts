import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execFile } from './needs/command.ts';

const run = promisify(execFile);

/** The oldest Node on which the terminal client runs. */
export const OLDEST_NODE = '20.19.6';

const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'team-memory');

/**
 * The folder with the executable of a version of Node. It is downloaded from npm once, into the cache folder of the
 * user.
 */
export async function nodeFolder(version: string): Promise<string> {
  const folder = join(CACHE, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const bin = join(folder, 'node_modules', name, 'bin');
  if (existsSync(bin)) return bin;
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  const options = ['--prefix', partial, '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    await run('npm', ['install', ...options, `${name}@${version}`]);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true });
    // Another test file can have been faster.
    if (!existsSync(bin)) throw error;
  }
  return bin;
}
