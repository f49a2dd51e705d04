import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from '../../support/needs/command.ts';
import { folderOf, installedOf, PROGRAMS, type Program } from './programs.ts';

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

function npm(folder: string, args: readonly string[]): void {
  const { status } = spawnSync('npm', [...args, ...QUIET], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}`);
}

/** Installs a program, unless it is installed in these versions. */
async function install(program: Program): Promise<void> {
  const folder = folderOf(program);
  const { packages, scripts = [] } = installedOf(program);
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: packages }, null, 2);
  // Written last: a folder without it was left in the middle.
  const mark = join(folder, 'installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  process.stdout.write(`installing ${program} in ${folder}\n`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), wanted);
  npm(folder, ['install', '--ignore-scripts']);
  for (const name of scripts) npm(folder, ['rebuild', name]);
  await writeFile(mark, wanted);
}

/** Installs all programs from the registry of npm, one after the other. */
export async function installPrograms(): Promise<void> {
  for (const program of Object.keys(PROGRAMS) as Program[]) await install(program);
}
