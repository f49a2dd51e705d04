import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { Redaction } from '../../shared/schemas/common.ts';
import { setting } from '../client/settings.ts';
import { printable } from './columns.ts';

/** So many credentials are named. */
const MAX_CREDENTIALS = 5;

/** What a command has found out or done. */
export interface Result {
  /** For a person. Without an end of line; '' to print nothing. */
  text: string;
  /** The same for a program: what `--json` prints. */
  data: unknown;
  /** Why the command counts as failed, although there is something to print. */
  failure?: unknown;
}

/** Prints a result on standard output. */
export function printResult({ text, data }: Result, json: boolean): void {
  if (json) process.stdout.write(`${jsonText(data, 2)}\n`);
  else if (text !== '') printLines([text]);
}

/** Prints lines on standard output, without characters that could control the terminal. */
export function printLines(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${printable(line)}\n`);
}

/** Control and format characters, and separators of lines, that JSON permits in a string. */
const UNSEEN_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A value as JSON that is safe to print: what a terminal could execute, or does not show, is escaped. A program reads the
 * same value.
 */
export function jsonText(data: unknown, indent?: number): string {
  return JSON.stringify(data, null, indent).replaceAll(UNSEEN_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The width where nothing says another. */
const USUAL_COLUMNS = 80;
/** A narrower terminal is treated as this one: nothing readable fits into less. */
const MIN_COLUMNS = 20;

/** The width of a terminal, in columns. If it does not report one, COLUMNS does, as for other programs. */
export function terminalColumns({ columns }: Pick<WriteStream, 'columns'>): number {
  if (columns > 0) return Math.max(columns, MIN_COLUMNS);
  const given = Number(setting('COLUMNS'));
  return Number.isInteger(given) && given > 0 ? Math.max(given, MIN_COLUMNS) : USUAL_COLUMNS;
}

/** The columns of the terminal; null if the output is not a terminal, and then nothing is cut off. */
export function outputWidth(): number | null {
  return process.stdout.isTTY ? terminalColumns(process.stdout) : null;
}

/** A text in bold, if standard output is a terminal and NO_COLOR is not set. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

/** A text that is less important than what is around it. */
export function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

/** A text in a colour. */
export function styled(colour: 'red' | 'green' | 'cyan', text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}

/** A line about credentials that the service found in what was sent, to append to a text. Empty without any. */
export function credentialsNote(redactions: readonly Redaction[] = []): string {
  if (redactions.length === 0) return '';
  const places = redactions.map(({ rule, path, preview }) => `${rule} ${preview} in ${path}`);
  const more = places.length > MAX_CREDENTIALS ? ` and ${places.length - MAX_CREDENTIALS} more` : '';
  return `\nCredentials found: ${places.slice(0, MAX_CREDENTIALS).join(', ')}${more}.`;
}

/** A count with its noun: `1 file`, `2 files`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A part of a count with its noun: `0 of 1 file`, `1 of 2 files`. */
export function countedOf(part: number, n: number, one: string, many?: string): string {
  return `${part} of ${counted(n, one, many)}`;
}
