import { fit } from '../terminal/columns.ts';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { groupBy } from './older-node.ts';

/** The shells that a script can be written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

type Commands = Readonly<Record<string, Command>>;

/** A word at the beginning of a command line: a command, or a group of commands such as `team`. */
interface First {
  word: string;
  summary: string;
  /** The command itself; null for a group. */
  command: Command | null;
  /** The commands of a group, by their second word. */
  group: readonly (readonly [second: string, command: Command])[];
}

function firstWords(commands: Commands): First[] {
  const byWord = groupBy(Object.entries(commands), ([name]) => name.split(' ')[0] ?? '');
  return [...byWord].map(([word, found]) => {
    const group = found.flatMap(([name, command]) => {
      const second = name.split(' ')[1];
      return second === undefined ? [] : [[second, command] as const];
    });
    const command = group.length === 0 ? (commands[word] ?? null) : null;
    const summary = command?.summary ?? group.map(([second]) => second).join(', ');
    return { word, summary, command, group };
  });
}

const optionsOf = (command: Command): [string, Option][] =>
  Object.entries({ ...command.options, ...COMMON_OPTIONS });

const MAX_DESCRIPTION = 70;
/** A description in single quotes, which all three shells read alike. */
const quoted = (text: string) => `'${fit(text.replaceAll("'", '’').replaceAll('\\', ''), MAX_DESCRIPTION)}'`;

const flags = (command: Command) =>
  optionsOf(command)
    .map(([name]) => `--${name}`)
    .join(' ');

function bashScript(firsts: readonly First[]): string {
  const cases = firsts.flatMap(({ word, command, group }) => {
    if (command !== null) return [`    ${word}) options='${flags(command)}' ;;`];
    return [
      `    ${word})`,
      `      commands='${group.map(([second]) => second).join(' ')}'`,
      `      case "\${COMP_WORDS[2]-}" in`,
      ...group.map(([second, each]) => `        ${second}) options='${flags(each)}' ;;`),
      '      esac ;;',
    ];
  });
  return `# Completion of memory for bash.
_memory() {
  local current="\${COMP_WORDS[COMP_CWORD]}" commands='' options='' words=''
  case "\${COMP_WORDS[1]-}" in
${cases.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${firsts.map(({ word }) => word).join(' ')}'
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$commands" ]; then
    words="$commands"
  elif [ "\${current:0:1}" = '-' ]; then
    words="$options"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _memory memory
`;
}

/** What `_describe` of zsh reads: a word, a colon and a description. */
const described = (word: string, text: string) => quoted(`${word}:${text.replaceAll(':', '')}`);

function zshScript(firsts: readonly First[]): string {
  const optionLines = (command: Command, indent: string) =>
    optionsOf(command).map(([name, { help }]) => `${indent}  ${described(`--${name}`, help)}`);
  const cases = firsts.flatMap(({ word, command, group }) => {
    if (command !== null) return [`    ${word}) options=(`, ...optionLines(command, '    '), '    ) ;;'];
    return [
      `    ${word})`,
      '      commands=(',
      ...group.map(([second, { summary }]) => `        ${described(second, summary)}`),
      '      )',
      '      case "$words[3]" in',
      ...group.flatMap(([second, each]) => [
        `        ${second}) options=(`,
        ...optionLines(each, '        '),
        '        ) ;;',
      ]),
      '      esac ;;',
    ];
  });
  return `#compdef memory
# Completion of memory for zsh.
_memory() {
  local -a firsts commands options
  firsts=(
${firsts.map(({ word, summary }) => `    ${described(word, summary)}`).join('\n')}
  )
  case "$words[2]" in
${cases.join('\n')}
  esac
  if (( CURRENT == 2 )); then
    _describe 'command' firsts
  elif (( CURRENT == 3 && \${#commands} > 0 )); then
    _describe 'command' commands
  elif [[ "$words[CURRENT]" == -* ]]; then
    _describe -o 'option' options
  else
    _files
  fi
}
if [ "$funcstack[1]" = '_memory' ]; then _memory "$@"; else compdef _memory memory; fi
`;
}

function fishScript(firsts: readonly First[]): string {
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`;
  const optionLines = (command: Command, condition: string) =>
    optionsOf(command).map(
      ([name, { type, short, help }]) =>
        `complete -c memory -n '${condition}'${short === undefined ? '' : ` -s ${short}`} -l ${name}` +
        `${type === 'string' ? ' -r' : ''} -d ${quoted(help)}`,
    );
  const lines = firsts.flatMap(({ word, summary, command, group }) => {
    const first = `complete -c memory -f -n __fish_use_subcommand -a ${word} -d ${quoted(summary)}`;
    if (command !== null) return [first, ...optionLines(command, seen(word))];
    const seconds = group.map(([second]) => second).join(' ');
    return [
      first,
      ...group.flatMap(([second, each]) => [
        `complete -c memory -f -n '${seen(word)}; and not ${seen(seconds)}' -a ${second} -d ${quoted(each.summary)}`,
        ...optionLines(each, `${seen(word)}; and ${seen(second)}`),
      ]),
    ];
  });
  return `# Completion of memory for fish.\n${lines.join('\n')}\n`;
}

const SCRIPTS: Readonly<Record<Shell, (firsts: readonly First[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** A script that completes commands and options in a shell. */
export function completionScript(shell: Shell, commands: Commands): string {
  return SCRIPTS[shell](firstWords(commands)).trimEnd();
}
