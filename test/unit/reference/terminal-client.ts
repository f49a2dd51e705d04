import { commandHelp, MAX_HELP_COLUMNS } from '../../../cli/program/help.ts';
import { COMMANDS, helpText } from '../../../cli/program/registry.ts';
import { EXIT_CODES } from '../../../cli/terminal/command-error.ts';
import { pageHead, tableText } from './markdown.ts';

const INTRODUCTION = `
The terminal client is a program that calls the API. In the folder of the repository it is \`npm run -s cli -- <command>\`, and in
a container \`node cli/main.ts <command>\`. Elsewhere it is the command \`memory\`, as this page calls it. It needs Node 20.19
or later. One line installs the version that fits a service, and installs it again after an upgrade of the service:

\`\`\`sh
npm install -g https://memory.example.com/cli.tgz
\`\`\`

- The package is one file, without dependencies and install scripts. \`/cli.tgz.sha256\` has its SHA-256, which the console
  shows too. Over plain \`http\`, anybody on the way can change both: use it only on the machine of the service itself.
- In the repository, \`npm run build\` makes the package, as \`npm ci\` does. The same commit gives the same bytes. Until it is
  made, \`/cli.tgz\` is 404.
- Output is text for people: tables that fit the terminal, without colour where standard output is not a terminal or
  \`NO_COLOR\` is set. With \`--json\`, every command prints one JSON document for programs, in the words of the API.
  Progress and questions then go to standard error.
- Teams and clients are given by name or id. A name that is unknown or ambiguous is an error that lists the candidates.
- \`team use\` chooses a default Team. A profile (\`--profile\`, \`MEMORY_PROFILE\`) is a session with its default Team, for
  people who use several services.
- A session that \`login\` saves is stored in \`team-memory/session.json\` in \`XDG_CONFIG_HOME\` or \`~/.config\`, and only
  its owner can read the file.

- In a terminal, a command compares the version of this program with that of the service, at most once a day, and says how to
  install the one that fits. They work together up to one minor version apart. \`MEMORY_NO_UPDATE_NOTIFIER=1\` turns this off.
  The times of the checks are in \`team-memory/versions.json\`, next to the session.

## Exit codes
`;

const exitCodes = tableText(
  ['Code', 'Meaning'],
  Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
);

const help = (text: string) => `\`\`\`text\n${text}\n\`\`\``;

/** The page about the terminal client, from its help texts. */
export function terminalClientPage(): string {
  const commands = Object.entries(COMMANDS).flatMap(([name, command]) => [
    `## ${name}`,
    '',
    help(commandHelp(name, command, MAX_HELP_COLUMNS)),
    '',
  ]);
  const head = pageHead('Terminal client', 'the help texts in cli/commands');
  return [
    head,
    INTRODUCTION.trimStart(),
    exitCodes,
    '',
    '## Commands',
    '',
    help(helpText(MAX_HELP_COLUMNS)),
    '',
    ...commands,
  ].join('\n');
}
