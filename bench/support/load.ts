import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Loads modules of a checkout.
 * @returns a function of the paths of a module: where it is now, and where earlier checkouts have it
 */
export const loadFrom =
  (folder: string) =>
  async (...paths: readonly [string, ...string[]]): Promise<unknown> => {
    const path = paths.find((one) => existsSync(join(folder, one))) ?? paths[0];
    return import(pathToFileURL(join(folder, path)).href);
  };

/** Where the module is that fills Teams to measure them. */
export const FILLED_TEAMS = ['bench/support/filled-teams.ts', 'test/bench/search-teams.ts'] as const;
