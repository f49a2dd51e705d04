import type { Command } from '../program/command.ts';

/**
 * The command that prints help.
 * @param helpOn the help of the command that these words name, of all commands without any
 */
export function helpOf(helpOn: (words: string[]) => string): Command {
  return {
    section: 'computer',
    summary: 'print the help of a command',
    about: 'Prints the help of a command, as --help after its name does; without a command, the list of all.',
    options: {},
    operand: { name: 'command', isOptional: true, isRepeated: true, completes: 'command' },
    async run(_values, operand) {
      const text = helpOn(operand.split(' ').filter((word) => word !== ''));
      return { text, data: { text } };
    },
  };
}
