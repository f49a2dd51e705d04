import { parseArgs } from 'node:util';
import { CommandError, messageOf } from '../terminal/command-error.ts';
import { COMMON_OPTIONS, type Command, type Options, type Values } from './command.ts';

/** What the arguments of a command say. */
export interface Given {
  values: Values<Options> & { help?: boolean };
  operand: string;
}

/**
 * Parses the arguments of a command.
 * @throws CommandError that names the argument at fault
 */
export function parseArguments(command: Command, args: string[]): Given {
  const { values, positionals } = parse(command, args);
  const { help } = values;
  return { values, operand: help === true ? '' : readOperand(command, positionals) };
}

function parse({ options, operand }: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...options, ...COMMON_OPTIONS },
      allowPositionals: operand !== undefined,
      strict: true,
    });
  } catch (error) {
    // The first sentence of a message of parseArgs names the option. The rest explains syntax and is left out.
    const message = messageOf(error);
    throw new CommandError(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')} (see --help)`);
  }
}

/** The operand (the argument that is not an option), or '' if an optional one was not given. */
function readOperand({ operand }: Command, given: readonly string[]): string {
  if (operand === undefined) return '';
  const { name, isOptional, isSentence, isRepeated } = operand;
  const isJoined = isSentence === true || isRepeated === true;
  const text = isJoined ? given.join(' ').trim() : (given[0] ?? '');
  if (text === '' && isOptional === undefined)
    throw new CommandError(`name ${'aeiou'.includes(name.charAt(0)) ? 'an' : 'a'} ${name} (see --help)`);
  if (given.length > 1 && !isJoined)
    throw new CommandError(`name one ${name}, not ${given.length} (see --help)`);
  return text;
}
