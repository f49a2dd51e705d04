import { printable } from './columns.ts';

/** Ends a command with one line on standard error. Its message never contains a secret. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Ctrl-C at a question: the command ends without a message, with the exit code of an interrupted command. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The message of an error. Another thrown value is converted to text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Prints what a person has to know on standard error. */
export function printNote(text: string): void {
  process.stderr.write(`memory: ${printable(text)}\n`);
}

/** Adds what a person has to know to an error: to its message, or on a line of its own if the error prints none. */
export function withNote(error: unknown, note: string): unknown {
  if (error instanceof CommandError) error.message += `; ${note}`;
  else printNote(note);
  return error;
}

/** The exit codes of the terminal client. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'the command did what was asked' },
  failed: {
    code: 1,
    meaning:
      'it failed, or was not complete; the reason is one line on standard error that begins with memory:',
  },
  // What a shell reports for a command that Ctrl-C ended.
  interrupted: { code: 130, meaning: 'Ctrl-C ended it' },
} as const;
