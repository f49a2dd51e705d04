import { parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../shared/environment.ts';
import { auditVerify } from './operator/audit-verify.ts';
import { COMMON_OPTIONS, type Command, Interrupted, OperatorError } from './operator/command.ts';
import { importFolder } from './operator/import.ts';
import { login } from './operator/login.ts';
import { logout } from './operator/logout.ts';
import { ownerResetLink } from './operator/owner-reset-link.ts';
import { sync } from './operator/sync.ts';
import { whoami } from './operator/whoami.ts';

/** The operator's command line: a client of the running service, so it works wherever the service runs. */
const COMMANDS: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  import: importFolder,
  sync,
  'owner-reset-link': ownerResetLink,
  'audit-verify': auditVerify,
};

const HELP = `The operator's command line of the service.

Usage: npm run operator -- <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
  .join('\n')}

npm run operator -- <command> --help tells the options of a command.`;

function readArguments({ options, operand }: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...options, ...COMMON_OPTIONS },
      allowPositionals: operand !== undefined,
      strict: true,
    });
  } catch (error) {
    // Its messages say in their first sentence which option, and go on about syntax that no one asked for.
    const message = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')} (see --help)`);
  }
}

/** The word beside the options, where the command takes one. */
function readOperand({ operand }: Command, given: readonly string[]): string {
  if (operand === undefined) return '';
  const [first, ...more] = given;
  if (first === undefined || first === '') throw new OperatorError(`name a ${operand} (see --help)`);
  if (more.length > 0) throw new OperatorError(`name one ${operand}, not ${given.length} (see --help)`);
  return first;
}

/** Runs one command line and returns what to print. */
async function run([name, ...args]: string[]): Promise<string> {
  if (name === '--help' || name === '-h' || name === 'help') return HELP;
  if (name === undefined) throw new OperatorError('name a command (see --help)');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new OperatorError(`there is no command ${JSON.stringify(name)} (see --help)`);
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
  if (error instanceof OperatorError) {
    console.error(`operator: ${error.message}`);
    process.exitCode = 1;
  } else if (error instanceof Interrupted) {
    // What a shell tells of a command that Ctrl-C ended.
    process.exitCode = 130;
  } else {
    throw error;
  }
}
