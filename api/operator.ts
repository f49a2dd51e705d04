import { parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../shared/environment.ts';
import { COMMON_OPTIONS, type Command, OperatorError } from './operator/command.ts';
import { ownerResetLink } from './operator/owner-reset-link.ts';
import { connect } from './operator/service-client.ts';

/** The operator's command line: a client of the running service, so it works wherever the service runs. */
const COMMANDS: Readonly<Record<string, Command>> = {
  'owner-reset-link': ownerResetLink,
};

const HELP = `The operator's command line of the service.

Usage: npm run operator -- <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name}   ${summary}`)
  .join('\n')}

npm run operator -- <command> --help tells the options of a command.`;

/** An empty variable counts as unset, as for the service. */
function setting(name: string): string | null {
  return process.env[name]?.trim() || null;
}

function serviceUrl(given: string | undefined): string {
  const port = setting('MEMORY_API_PORT') ?? setting('PORT') ?? '8787';
  const url = given ?? setting('MEMORY_API_PUBLIC_URL') ?? `http://127.0.0.1:${port}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  const source = given === undefined ? 'MEMORY_API_PUBLIC_URL or MEMORY_API_PORT' : '--url';
  throw new OperatorError(`${source}: expected an absolute http or https address, or a port`);
}

function credential(): string {
  const token = setting('MEMORY_API_TOKEN');
  if (token === null) throw new OperatorError('MEMORY_API_TOKEN: set it to the token of the service');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new OperatorError('MEMORY_API_TOKEN: expected printable ASCII characters without spaces');
  }
  return token;
}

function readOptions(command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: { ...command.options, ...COMMON_OPTIONS }, strict: true }).values;
  } catch (error) {
    // Its messages say in their first sentence which option, and go on about syntax that no one asked for.
    const message = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')} (see --help)`);
  }
}

/** Runs one command line and returns what to print. */
async function run([name, ...args]: string[]): Promise<string> {
  if (name === '--help' || name === '-h' || name === 'help') return HELP;
  if (name === undefined) throw new OperatorError('name a command (see --help)');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new OperatorError(`there is no command ${JSON.stringify(name)} (see --help)`);
  const values: Record<string, string | boolean | undefined> = readOptions(command, args);
  if (values['help'] === true) return command.help;
  loadEnvironmentFile();
  const url = serviceUrl(typeof values['url'] === 'string' ? values['url'] : undefined);
  return command.run(connect(url, credential()), values);
}

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(`operator: ${error.message}`);
  process.exitCode = 1;
}
