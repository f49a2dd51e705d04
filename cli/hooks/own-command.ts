import { basename } from 'node:path';
import { PROGRAM } from '../terminal/program.ts';

/** A word that no shell changes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A word for the shell that runs hooks: `sh`, or on Windows `cmd`. */
export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line of this program that works in any folder: `memory …` if it is installed under that name, otherwise
 * with the paths of Node and of the program.
 */
export function ownCommand(...words: string[]): string {
  const [node, script] = [process.execPath, process.argv[1] ?? ''];
  const isInstalled = basename(script) === PROGRAM;
  return [...(isInstalled ? [PROGRAM] : [node, script]), ...words].map(shellWord).join(' ');
}
