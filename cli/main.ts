import { ignoreEnvironmentFile } from './client/environment.ts';
import { watchVersion } from './client/service-checks.ts';
import { setting } from './client/settings.ts';
import { type Command, parseArguments } from './program/command.ts';
import { completionLines } from './program/complete.ts';
import { commandHelp } from './program/help.ts';
import { findCommand } from './program/registry.ts';
import { CommandError, EXIT_CODES, Interrupted, printNote } from './terminal/command-error.ts';
import { printLines, printResult } from './terminal/output.ts';

/** What the scripts of `completion` call. */
const COMPLETE = '__complete';

/** What a person has to know about the versions, when the command has ended. */
let versionNotice: () => Promise<string | null> = async () => null;

/** Whether a person reads what a command prints, and not a program. */
function isForPerson({ section }: Command, json: boolean): boolean {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  return isTerminal && !json && section !== 'agent' && setting('MEMORY_NO_UPDATE_NOTIFIER') === null;
}

/** Runs one command line. */
async function run(words: string[]): Promise<void> {
  if (words[0] === COMPLETE) return printCompletion(words.slice(1));
  const called = findCommand(words);
  if ('about' in called) return console.log(called.about);
  const { name, command, args } = called;
  const { values, operand } = parseArguments(command, args);
  if (values.help === true) return console.log(commandHelp(name, command));
  if (command.ignoresEnvironmentFile === true) ignoreEnvironmentFile();
  if (isForPerson(command, values.json === true)) versionNotice = watchVersion();
  const result = await command.run(values, operand);
  printResult(result, values.json === true);
  if (result.failure !== undefined) throw result.failure;
}

/** Prints what a shell can complete, and ends the process, also if the service has not answered yet. */
async function printCompletion(words: readonly string[]): Promise<never> {
  // A folder of others can name another service in it, and a key that is pressed must not send anything there.
  ignoreEnvironmentFile();
  printLines(await completionLines(words));
  await new Promise((written) => process.stdout.write('', written));
  process.exit();
}

// A reader that has seen enough, such as head, closes the pipe. The rest of the text is not wanted, but the work is.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** The command line of this process. No top-level await: the package of the client is no module. */
async function main(): Promise<void> {
  try {
    await run(process.argv.slice(2));
  } catch (error) {
    if (error instanceof CommandError) {
      printNote(error.message);
      process.exitCode = EXIT_CODES.failed.code;
    } else if (error instanceof Interrupted) {
      process.exitCode = EXIT_CODES.interrupted.code;
    } else {
      throw error;
    }
  }
  const notice = await versionNotice();
  if (notice !== null) printNote(notice);
}

void main();
