import { parseArgs } from 'node:util';
import { CommandError, messageOf } from '../terminal/command-error.ts';
import { COMMON_OPTIONS, type Command, type Options, type Values } from './command.ts';
import { suggest } from './suggestions.ts';

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
