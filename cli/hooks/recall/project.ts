import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The folder of the project that a folder belongs to: the nearest one with a repository, otherwise the folder itself.
 * Null in the home folder and in the root, which are no projects.
 */
export async function projectFolder(folder: string): Promise<string | null> {
  for (let each = folder; each !== dirname(each) && each !== homedir(); each = dirname(each)) {
    if (await exists(join(each, '.git'))) return each;
  }
  return folder === dirname(folder) || folder === homedir() ? null : folder;
}

/** The name of the project that a session works on: that of its folder. */
export async function projectName(folder: string): Promise<string | null> {
  const project = await projectFolder(folder);
  return project === null ? null : basename(project);
}
