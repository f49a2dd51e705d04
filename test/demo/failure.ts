/** What went wrong, in one line that a person can act on. */
export class DemoError extends Error {
  override name = 'DemoError';
}

/** The message of any error on one line. */
export function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, ' ').trim();
}
