/** The options that every command has, in the form of `parseArgs`. */
export const COMMON_OPTIONS = {
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A part of the `--help` of commands that send a credential. */
export const URL_HELP = `  --url <url>        address of the service; default: MEMORY_API_PUBLIC_URL, otherwise
                     http://127.0.0.1 with the port of MEMORY_API_PORT or PORT, otherwise the address
                     of the saved session, otherwise http://127.0.0.1:8787`;
export const CREDENTIAL_HELP = `The credential is MEMORY_API_TOKEN, from the environment or from a file .env in this folder. If it is not
set, or is empty, the credential is the session that login saved. A session is sent only to its own address.`;

type Options = Readonly<Record<string, { type: 'string' | 'boolean'; multiple?: true }>>;

/** The values of a command's options; undefined if the option was not given. One that can be repeated has a list. */
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: Given[Name] extends { multiple: true }
    ? readonly string[]
    : { string: string; boolean: boolean }[Given[Name]['type']];
} & { readonly url?: string };

/** A command of the terminal client. */
export interface Command<Given extends Options = Options> {
  /** One line, for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  help: string;
  /** The command's own options, in addition to the common ones. */
  options: Given;
  /** The name of the operand, such as `folder`. Without it, the command accepts only options. */
  operand?: string;
  /**
   * Runs the command and returns the text to print.
   * @param operand '' for a command without one
   * @throws CommandError
   */
  run(values: Values<Given>, operand: string): Promise<string>;
}
