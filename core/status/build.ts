import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../../shared/config.ts';

/** What runs here. */
export interface Build {
  /** Of package.json. */
  version: string;
  /** Null if it is not known. */
  commit: string | null;
}

const ROOT = join(import.meta.dirname, '../..');

/** `gitHead` is in the manifest of a release, which is no checkout: `npm run pack` writes it. */
const { version, gitHead = null } = packageJson as { version: string; gitHead?: string };

/** Reads what runs here: the commit of the Git checkout or of the release, or else that of the settings. */
export function readBuild({ commit }: Pick<Config, 'commit'>, root: string = ROOT): Build {
  return { version, commit: readCheckout(root) ?? gitHead ?? commit };
}

/** The commit that is checked out in a folder. Null if the folder has no Git repository of its own. */
function readCheckout(root: string): string | null {
  try {
    const folder = repositoryOf(root);
    const head = readText(folder, 'HEAD');
    const name = after('ref: ', head);
    return name === null ? head : readReference(folder, name);
  } catch {
    // No checkout, or one in a form that is not read here. The commit is only shown.
    return null;
  }
}

/** In a second worktree, `.git` is a file with the address of the folder. */
function repositoryOf(root: string): string {
  const path = join(root, '.git');
  if (statSync(path).isDirectory()) return path;
  return resolve(root, after('gitdir: ', readText(path)) ?? '');
}

function readReference(folder: string, name: string): string | null {
  // The references of all worktrees are in one folder.
  const shared = attempt(() => resolve(folder, readText(folder, 'commondir'))) ?? folder;
  return attempt(() => readText(shared, name)) ?? findPacked(readText(shared, 'packed-refs'), name);
}

function findPacked(list: string, name: string): string | null {
  const line = list.split('\n').find((each) => each.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}

function after(beginning: string, text: string): string | null {
  return text.startsWith(beginning) ? text.slice(beginning.length) : null;
}

function readText(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8').trim();
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
