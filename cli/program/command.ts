import type { Result } from '../terminal/output.ts';

/** What a value names, so that a shell can complete it. */
export type Completes = 'file' | 'folder' | 'profile' | 'team' | 'client' | 'token' | 'command';

/** The values that an option or an operand can have. */
interface Choice {
  /** All of them. Another one is refused. */
  readonly choices?: readonly string[];
  /** Some of them, which a shell completes. */
  readonly examples?: readonly string[];
  readonly completes?: Completes;
}

/** An option of a command, in the form of `parseArgs`, with its help. */
export interface Option extends Choice {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  readonly short?: string;
  /** What the help calls the value, such as `id`. Only for a string. */
  readonly value?: string;
  /** What the option does, without a full stop. */
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

type Value<Given extends Option> = {
  string: Given extends { choices: readonly (infer Choice)[] } ? Choice : string;
  boolean: boolean;
}[Given['type']];

/** The values of a command's options; undefined if the option was not given. One that can be repeated has a list. */
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: Given[Name] extends { multiple: true }
    ? readonly Value<Given[Name]>[]
    : Value<Given[Name]>;
} & { readonly json?: boolean };

/** The options that every command has. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'print JSON instead of text' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
} as const satisfies Options;

/** The options of a command that sends a credential. */
export const SERVICE_OPTIONS = {
  profile: {
    type: 'string',
    value: 'name',
    completes: 'profile',
    help: 'use the session and the address that login saved under this name; default: MEMORY_PROFILE',
  },
  url: {
    type: 'string',
    value: 'url',
    help:
      'address of the service; default: MEMORY_API_PUBLIC_URL, otherwise http://127.0.0.1 with the port of ' +
      'MEMORY_API_PORT or PORT, otherwise the address of the saved session, otherwise http://127.0.0.1:8787',
  },
} as const satisfies Options;

/** The options of a command about one Team. */
export const TEAM_OPTIONS = {
  team: {
    type: 'string',
    value: 'team',
    completes: 'team',
    help: 'name or id of the Team; default: the Team of team use, otherwise the only Team that you have access to',
  },
  ...SERVICE_OPTIONS,
} as const satisfies Options;

export const CREDENTIAL_NOTE = `The credential is MEMORY_API_TOKEN, from the environment or from a file .env in this
folder; it can be an agent token. It is sent only to an address from the same place, or to that of --url. If it is not
set, or is empty, the credential is the session that login saved. With a profile, it is the session of the profile, also
with --profile default; MEMORY_API_TOKEN and MEMORY_PROFILE cannot be combined. A session is sent only to its own address.`;

/** The parts of the list of commands. */
export const SECTIONS = {
  account: 'Your account',
  memory: 'Memory',
  team: 'Your Team',
  agent: 'For coding agents',
  computer: 'This computer',
  operator: 'For operators',
} as const;

/** The argument of a command that is not an option. */
export interface Operand extends Choice {
  /** Such as `folder`. */
  name: string;
  isOptional?: true;
  /** Whether several words are one operand, so that a sentence needs no quotation marks. */
  isSentence?: true;
  /** Whether several can be given. The operand is all of them, with a space between them. */
  isRepeated?: true;
}

/** A command of the terminal client. */
export interface Command<Given extends Options = Options> {
  section: keyof typeof SECTIONS;
  /** One line, for the list of commands. */
  summary: string;
  /** What the command does: the beginning of its help. An empty line starts a paragraph. */
  about: string;
  /** The end of its help. */
  notes?: string;
  /** The command's options, without the common ones. */
  options: Given;
  operand?: Operand;
  /** Whether a file .env of the working folder has no effect: for commands that run in folders of others. */
  ignoresEnvironmentFile?: true;
  /**
   * Runs the command.
   * @param operand '' if it was not given
   * @throws CommandError
   */
  run(values: Values<Given>, operand: string): Promise<Result>;
}
