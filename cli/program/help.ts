import { columns, wrap } from '../terminal/columns.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { PROGRAM } from '../terminal/program.ts';
import { COMMON_OPTIONS, type Command, type Option, type Options, SECTIONS } from './command.ts';

const WIDTH = 110;
const INDENT = '  ';

const paragraphs = (text: string) =>
  text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph, WIDTH, Infinity).join('\n'))
    .join('\n\n');

/** An option as it is typed: `--team <team>`. */
function optionUsage([name, { short, value }]: [string, Option]): string {
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flags : `${flags} <${value}>`;
}

/** Two columns: what is typed, and what it does. */
function described(rows: readonly (readonly [typed: string, text: string])[]): string[] {
  const left = Math.max(...rows.map(([typed]) => columns(typed))) + 2;
  return rows.flatMap(([typed, text]) =>
    wrap(text, WIDTH - INDENT.length - left, Infinity).map(
      (line, index) => INDENT + (index === 0 ? typed : '').padEnd(left) + line,
    ),
  );
}

/** How a command is called, without its options. */
function usage(name: string, { operand }: Command): string {
  if (operand === undefined) return `${PROGRAM} ${name}`;
  const { name: what, isOptional, isRepeated } = operand;
  const operands = isRepeated ? `<${what}> …` : `<${what}>`;
  return `${PROGRAM} ${name} ${isOptional ? `[${operands}]` : operands}`;
}

/** What `--help` prints for a command. */
export function commandHelp(name: string, command: Command): string {
  const options: Options = { ...command.options, ...COMMON_OPTIONS };
  return [
    paragraphs(command.about),
    '',
    `Usage: ${usage(name, command)} [options]`,
    '',
    ...described(Object.entries(options).map((option) => [optionUsage(option), option[1].help] as const)),
    ...(command.notes === undefined ? [] : ['', paragraphs(command.notes)]),
  ].join('\n');
}

/** The list of these commands, by section. */
function commandList(commands: readonly (readonly [string, Command])[]): string[] {
  const width = Math.max(...commands.map(([name]) => name.length)) + 2;
  return Object.entries(SECTIONS).flatMap(([section, title]) => {
    const rows = commands.filter(([, command]) => command.section === section);
    if (rows.length === 0) return [];
    return [`${title}:`, ...rows.map(([name, { summary }]) => INDENT + name.padEnd(width) + summary), ''];
  });
}

/** What `--help` prints without a command, or with the first word of several. */
export function overview(commands: readonly (readonly [string, Command])[]): string {
  return [
    'The terminal client of team memory.',
    '',
    `Usage: ${PROGRAM} <command> [options]`,
    '',
    `Begin with ${PROGRAM} login --url <address>, which signs in to the service at this address.`,
    '',
    ...commandList(commands),
    'Exit codes:',
    ...described(Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning] as const)),
    '',
    `${PROGRAM} <command> --help shows the options of a command, and ${PROGRAM} --version the version of the program.`,
  ].join('\n');
}
