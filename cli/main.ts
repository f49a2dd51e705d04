import { parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../shared/settings/environment.ts';
import { COMMON_OPTIONS, type Command } from './commands/command.ts';
import { COMMANDS, HELP } from './commands/registry.ts';
import { CommandError, Interrupted } from './terminal/command-error.ts';

function readArguments({ options, operand }: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...options, ...COMMON_OPTIONS },
      allowPositionals: operand !== undefined,
      strict: true,
    });
  } catch (error) {
    // The first sentence of a message of parseArgs names the option. The rest explains syntax and is left out.
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')} (see --help)`);
  }
}

/** Returns the operand (the argument that is not an option), or '' for a command without one. */
function readOperand({ operand }: Command, given: readonly string[]): string {
  if (operand === undefined) return '';
  const [first, ...more] = given;
  if (first === undefined || first === '') throw new CommandError(`name a ${operand} (see --help)`);
  if (more.length > 0) throw new CommandError(`name one ${operand}, not ${given.length} (see --help)`);
  return first;
}

/** Runs one command line and returns what to print. */
async function run([name, ...args]: string[]): Promise<string> {
  if (name === '--help' || name === '-h' || name === 'help') return HELP;
  if (name === undefined) throw new CommandError('name a command (see --help)');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new CommandError(`there is no command ${JSON.stringify(name)} (see --help)`);
  const { values, positionals } = readArguments(command, args);
  const { help, ...given } = values;
  if (help === true) return command.help;
  const operand = readOperand(command, positionals);
  loadEnvironmentFile();
  return command.run(given, operand);
}

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  if (error instanceof CommandError) {
    console.error(`memory: ${error.message}`);
    process.exitCode = 1;
  } else if (error instanceof Interrupted) {
    // The exit code that a shell reports for a command that Ctrl-C ended.
    process.exitCode = 130;
  } else {
    throw error;
  }
}
