/** A word that no shell changes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A word for the shell that runs hooks: `sh`, or on Windows `cmd`. */
export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line of this program that works in any folder: with the paths of Node and of the program, because what npx
 * or a project has installed is not on the path of the agent.
 */
export function ownCommand(...words: string[]): string {
  return [process.execPath, process.argv[1] ?? '', ...words].map(shellWord).join(' ');
}
