/** Options of every command, as `parseArgs` takes them. */
export const COMMON_OPTIONS = {
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** For the `--help` of a command that acts as someone. */
export const URL_HELP = `  --url <url>        where this terminal reaches the service; default: MEMORY_API_PUBLIC_URL, else
                     http://127.0.0.1 with the port of MEMORY_API_PORT or PORT, else the address of
                     the kept session, else http://127.0.0.1:8787`;
export const CREDENTIAL_HELP = `The credential is MEMORY_API_TOKEN, from the environment or a file .env in this folder; where it is not
set, or set to nothing, the session that login keeps, at its own address alone.`;

type Options = Readonly<Record<string, { type: 'string' | 'boolean' }>>;

/** What was given of a command's options. */
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: { string: string; boolean: boolean }[Given[Name]['type']];
} & { readonly url?: string };

/** A command of the terminal client. */
export interface Command<Given extends Options = Options> {
  /** One line, for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  help: string;
  /** The command's own options, beside those common to all. */
  options: Given;
  /** What the one word beside the options stands for, such as `folder`; without it none is taken. */
  operand?: string;
  /**
   * Does the work and returns what to print.
   * @param operand the word beside the options; '' for a command that takes none
   * @throws CommandError
   */
  run(values: Values<Given>, operand: string): Promise<string>;
}
