import { columns, wrap } from '../terminal/columns.ts';
import { EXIT_CODES } from '../terminal/command-error.ts';
import { terminalColumns } from '../terminal/output.ts';
import { PROGRAM } from '../terminal/program.ts';
import { COMMON_OPTIONS, type Command, type Option, type Options, SECTIONS } from './command.ts';

/** Longer lines are hard to read, however wide the terminal is. */
export const MAX_HELP_COLUMNS = 110;
const INDENT = '  ';
const GAP = '  ';
/** In fewer columns, a description is not next to what it describes but below it. */
const MIN_DESCRIPTION_COLUMNS = 32;
const BELOW = '      ';

/** The width of help: that of the terminal, or a fixed one if the output is not a terminal. */
export function helpColumns(): number {
  return Math.min(terminalColumns(process.stdout), MAX_HELP_COLUMNS);
}

const paragraphs = (text: string, width: number) =>
  text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph, width, Infinity).join('\n'))
    .join('\n\n');

/** An option as it is typed: `--team <team>`. */
function optionUsage([name, { short, value }]: [string, Option]): string {
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flags : `${flags} <${value}>`;
}

type Row = readonly [typed: string, text: string];

const leftColumns = (rows: readonly Row[]) => Math.max(...rows.map(([typed]) => columns(typed)));

/** What is typed and what it does: in two columns, or in a narrow terminal one below the other. */
function described(rows: readonly Row[], width: number, left = leftColumns(rows)): string[] {
  const right = width - INDENT.length - left - GAP.length;
  if (right < MIN_DESCRIPTION_COLUMNS) {
    return rows.flatMap(([typed, text]) => [
      INDENT + typed,
      ...wrap(text, width - BELOW.length, Infinity).map((line) => BELOW + line),
    ]);
  }
  return rows.flatMap(([typed, text]) =>
    wrap(text, right, Infinity).map(
      (line, index) => INDENT + (index === 0 ? typed : '').padEnd(left) + GAP + line,
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
export function commandHelp(name: string, command: Command, width = helpColumns()): string {
  const options: Options = { ...command.options, ...COMMON_OPTIONS };
  const rows = Object.entries(options).map((option) => [optionUsage(option), option[1].help] as const);
  return [
    paragraphs(command.about, width),
    '',
    paragraphs(`Usage: ${usage(name, command)} [options]`, width),
    '',
    ...described(rows, width),
    ...(command.notes === undefined ? [] : ['', paragraphs(command.notes, width)]),
  ].join('\n');
}

/** The list of these commands, by section. */
function commandList(commands: readonly (readonly [string, Command])[], width: number): string[] {
  const left = Math.max(...commands.map(([name]) => name.length));
  return Object.entries(SECTIONS).flatMap(([section, title]) => {
    const rows = commands
      .filter(([, command]) => command.section === section)
      .map(([name, { summary }]) => [name, summary] as const);
    return rows.length === 0 ? [] : [`${title}:`, ...described(rows, width, left), ''];
  });
}

/** What `--help` prints without a command, or with the first word of several. */
export function overview(commands: readonly (readonly [string, Command])[], width = helpColumns()): string {
  const exitCodes = Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning] as const);
  const beginning = `Begin with ${PROGRAM} login --url <address>, which signs in to the service at this address.`;
  const end = `${PROGRAM} <command> --help shows the options of a command, and ${PROGRAM} --version the version of the program.`;
  return [
    'The terminal client of team memory.',
    '',
    paragraphs(`Usage: ${PROGRAM} <command> [options]`, width),
    '',
    paragraphs(beginning, width),
    '',
    ...commandList(commands, width),
    'Exit codes:',
    ...described(exitCodes, width),
    '',
    paragraphs(end, width),
  ].join('\n');
}
