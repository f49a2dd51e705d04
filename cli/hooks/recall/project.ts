import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The name of the project that a session works on: that of the folder with the repository, otherwise of the folder
 * itself. Null in the home folder and in the root, which are no projects.
 */
export async function projectName(folder: string): Promise<string | null> {
  for (let each = folder; each !== dirname(each) && each !== homedir(); each = dirname(each)) {
    if (await exists(`${each}/.git`)) return basename(each);
  }
  return folder === dirname(folder) || folder === homedir() ? null : basename(folder);
}
