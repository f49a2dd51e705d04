import type { ServiceClient } from './service-client.ts';

/** What ends a command: one line for the person at the terminal, never a secret. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Options of every command, as `parseArgs` takes them. */
export const COMMON_OPTIONS = {
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A command of the operator's command line. */
export interface Command {
  /** One line, for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  help: string;
  /** The command's own options, beside those common to all. */
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>;
  /**
   * Does the work and returns what to print.
   * @throws OperatorError
   */
  run(
    service: ServiceClient,
    values: Readonly<Record<string, string | boolean | undefined>>,
  ): Promise<string>;
}
