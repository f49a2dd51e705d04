import { parseArgs } from 'node:util';
import { similarNames } from '../../shared/settings/unknown-variables.ts';
import { CommandError, messageOf } from '../terminal/command-error.ts';
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

/** The end of a message that asks whether one of these was meant; '' without any. */
export function didYouMean(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return '';
  const others = names.slice(0, -1).join(', ');
  return `; did you mean ${others === '' ? last : `${others} or ${last}`}?`;
}

/** The same for the known words that are similar to a mistyped one. */
export function suggest(mistyped: string, known: Iterable<string>, prefix = ''): string {
  return didYouMean(similarNames(mistyped, known).map((name) => prefix + name));
}

/** What the arguments of a command say. */
export interface Given {
  values: Values<Options> & { help?: boolean };
  operand: string;
}

/** So many choices are listed in a message. Of more, only the similar ones are named. */
const MAX_LISTED = 12;

/**
 * Parses the arguments of a command.
 * @throws CommandError that names the argument at fault
 */
export function parseArguments(command: Command, args: string[]): Given {
  const { values: given, positionals } = parse(command, args);
  const values: Given['values'] = given;
  if (given.help === true) return { values, operand: '' };
  for (const [name, { choices }] of Object.entries(command.options)) {
    for (const value of [values[name] ?? []].flat()) assertChoice(`--${name}`, choices, String(value));
  }
  return { values, operand: readOperand(command, positionals) };
}

function parse({ options, operand }: Command, args: string[]) {
  const all = { ...options, ...COMMON_OPTIONS };
  try {
    return parseArgs({ args, options: all, allowPositionals: operand !== undefined, strict: true });
  } catch (error) {
    // The first sentence of a message of parseArgs names the option. The rest explains syntax and is left out.
    const message = messageOf(error)
      .split(/\. |\n/, 1)[0]
      ?.replace(/\.$/, '');
    const isUnknown = (error as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw new CommandError(
      `${message}${isUnknown ? suggestOption(args, Object.keys(all)) : ''} (see --help)`,
    );
  }
}

/** The options that the first unknown one can mean. */
function suggestOption(args: readonly string[], known: readonly string[]): string {
  const names = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2).split('=', 1)[0] ?? '');
  const unknown = names.find((name) => !known.includes(name));
  return unknown === undefined ? '' : suggest(unknown, known, '--');
}

/** @throws CommandError if an option or an operand has none of the values that it can have */
function assertChoice(what: string, choices: readonly string[] | undefined, given: string): void {
  if (choices === undefined || choices.includes(given)) return;
  const list = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  const expected = choices.length > MAX_LISTED ? 'not a known value' : `expected ${list}`;
  throw new CommandError(`${what}: ${expected}${suggest(given, choices)} (see --help)`);
}

/** The operand (the argument that is not an option), or '' if an optional one was not given. */
function readOperand({ operand }: Command, given: readonly string[]): string {
  if (operand === undefined) return '';
  const { name, isOptional, isSentence, isRepeated, choices } = operand;
  const isJoined = isSentence === true || isRepeated === true;
  const text = isJoined ? given.join(' ').trim() : (given[0] ?? '');
  if (text === '' && isOptional === undefined)
    throw new CommandError(`name ${'aeiou'.includes(name.charAt(0)) ? 'an' : 'a'} ${name} (see --help)`);
  if (given.length > 1 && !isJoined)
    throw new CommandError(`name one ${name}, not ${given.length} (see --help)`);
  if (text !== '') assertChoice(`<${name}>`, choices, text);
  return text;
}

/**
 * Parses the value of an option that is a whole number; undefined if the option was not given.
 * @param option its name, without the hyphens
 * @throws CommandError that names the option and the range
 */
export function parseWhole(
  option: string,
  given: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (given === undefined) return undefined;
  // Number('') is 0.
  const n = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isInteger(n) && n >= min && n <= max) return n;
  throw new CommandError(`--${option}: expected a whole number from ${min} to ${max}`);
}
