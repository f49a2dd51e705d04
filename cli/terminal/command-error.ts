/** Ends a command with one line on standard error. Its message never contains a secret. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Ctrl-C at a question: the command ends without a message, with the exit code of an interrupted command. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
