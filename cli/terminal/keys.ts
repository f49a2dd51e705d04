import { emitKeypressEvents } from 'node:readline';
import { CommandError, Interrupted } from './command-error.ts';

/**
 * Asks for one key at the terminal. The key is not shown.
 * @param question is printed when the terminal is ready for the key, on a line of its own
 * @returns the character, such as `p` or `?`
 * @throws Interrupted on Ctrl-C
 * @throws CommandError when the terminal ends
 */
export function readKey(question: string): Promise<string> {
  const { stdin } = process;
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  process.stdout.write(`${question}\n`);
  return new Promise((resolve, reject) => {
    const stop = () => {
      stdin.off('keypress', onKey);
      stdin.off('end', onEnd);
      stdin.setRawMode(false);
      stdin.pause();
    };
    const onKey = (character: string | undefined, key: { ctrl: boolean; name?: string }) => {
      stop();
      if (key.ctrl && (key.name === 'c' || key.name === 'd')) reject(new Interrupted());
      else resolve(character ?? '');
    };
    const onEnd = () => {
      stop();
      reject(new CommandError('the terminal was closed'));
    };
    stdin.on('keypress', onKey);
    stdin.on('end', onEnd);
  });
}
