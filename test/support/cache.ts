import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What tests keep for the next run, outside the checkout. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'team-memory');

/**
 * A folder that is made once.
 * @param path in the cache
 * @param isMade a path in the folder that exists if it is complete
 * @param make fills an empty folder; it is moved to its place as a whole, so that several processes can make it
 */
export async function keptFolder(
  path: string,
  isMade: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(CACHE, path);
  if (existsSync(join(folder, isMade))) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  try {
    await make(partial);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true });
    // Another process can have been faster.
    if (!existsSync(join(folder, isMade))) throw error;
  }
  return folder;
}
