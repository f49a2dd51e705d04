import { join } from 'node:path';
import { promisify } from 'node:util';
import { keptFolder } from './cache.ts';
import { execFile } from './needs/command.ts';

const run = promisify(execFile);

/** The oldest Node on which the terminal client runs. */
export const OLDEST_NODE = '20.19.6';

/**
 * The folder with the executable of a version of Node. It is downloaded from npm once, into the cache folder of the
 * user.
 */
export async function nodeFolder(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const bin = join('node_modules', name, 'bin');
  const folder = await keptFolder(`node-${version}`, bin, (partial) =>
    run('npm', [
      'install',
      '--prefix',
      partial,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `${name}@${version}`,
    ]),
  );
  return join(folder, bin);
}
