import { COMMANDS, HELP } from '../../../cli/commands/registry.ts';
import { pageHead } from './markdown.ts';

const INTRODUCTION = `
The terminal client is a client of the API. Run it from the folder of the repository. In a container it is
\`node cli/main.ts <command>\`.

The exit code is 0, or 1 if the command failed, or 130 if Ctrl-C ended it. Errors are one line on standard error that
begins with \`memory:\`. A session that \`login\` saves is stored in \`team-memory/session.json\` in \`XDG_CONFIG_HOME\` or
\`~/.config\`, and only its owner can read the file.`;

const help = (text: string) => `\`\`\`text\n${text}\n\`\`\``;

/** The page about the terminal client, from its help texts. */
export function terminalClientPage(): string {
  const commands = Object.entries(COMMANDS).flatMap(([name, command]) => [
    `## ${name}`,
    '',
    help(command.help),
    '',
  ]);
  const head = pageHead('Terminal client', 'the help texts in cli/commands');
  return [head, INTRODUCTION.trimStart(), '', help(HELP), '', ...commands].join('\n');
}
