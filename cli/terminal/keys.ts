import { emitKeypressEvents } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { rejectable } from '../program/older-node.ts';
import { printable } from './columns.ts';
import { CommandError, Interrupted } from './command-error.ts';

/** The terminal has ended, so that no further question can be asked. */
export class TerminalClosed extends CommandError {}

/** Questions at the terminal that are answered with one key each. */
export interface Keys {
  /**
   * Asks for one key, which is not shown. What was typed before the question is discarded.
   * @param question is printed when the terminal is ready for the key, on a line of its own
   * @returns the character, such as `p` or `?`
   * @throws Interrupted on Ctrl-C, also if it was pressed before
   * @throws TerminalClosed
   */
  read: (question: string) => Promise<string>;
  /**
   * Waits for work between two questions.
   * @throws Interrupted on Ctrl-C, without the end of the work
   */
  during: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Gives the terminal to another program while the work runs. */
  suspended: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

type Key = { ctrl: boolean; name?: string };

/**
 * Runs work that asks for keys. The terminal passes on each key at once during the whole work, so that a key that is
 * typed between two questions is not kept for the next one.
 */
export async function withKeys<Result>(work: (keys: Keys) => Promise<Result>): Promise<Result> {
  const { stdin } = process;
  let answer: ((character: string) => void) | null = null;
  const ending = rejectable();
  // It can end while nothing waits for it.
  ending.promise.catch(() => {});
  const onKey = (character: string | undefined, { ctrl, name }: Key) => {
    if (ctrl && (name === 'c' || name === 'd')) return ending.reject(new Interrupted());
    answer?.(character ?? '');
    answer = null;
  };
  const onEnd = () => ending.reject(new TerminalClosed('the terminal was closed'));
  const start = () => {
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdin.on('keypress', onKey);
    stdin.on('end', onEnd);
    stdin.resume();
  };
  const stop = () => {
    stdin.off('keypress', onKey);
    stdin.off('end', onEnd);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const during = <Value>(waited: Promise<Value>) => Promise.race([waited, ending.promise]);
  start();
  try {
    return await work({
      during,
      read: async (question) => {
        // Reads what was typed up to now.
        await during(pause(0));
        const key = new Promise<string>((resolve) => {
          answer = resolve;
        });
        process.stdout.write(`${printable(question)}\n`);
        return during(key);
      },
      suspended: async (other) => {
        stop();
        try {
          return await other();
        } finally {
          start();
        }
      },
    });
  } finally {
    stop();
  }
}
