import { styleText } from 'node:util';
import pretty from 'pino-pretty';

/** What a terminal could execute, or what could look like the begin of another line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text whose characters a name or a number can have, so that it needs no quotes. */
const PLAIN = /^[\p{L}\p{N}_.:/@+*-]+$/u;

/** The fields of a line that are shown in another way, or that only a program needs. */
const NOT_FIELDS = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'name',
  'msg',
  'err',
  'trace_id',
  'span_id',
  'trace_flags',
]);

/** The level from which a line shows the id of its request, with which the caller reports a fault. */
const WARNING = 40;

/** Items of a list that are shown. A migration of a new database has a name for each of its steps. */
const MAX_ITEMS = 3;

/** A text in one line, without characters that control a terminal: these are shown as their codes. */
function oneLine(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xff_ff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.length > MAX_ITEMS) {
    return `${valueText(value.slice(0, MAX_ITEMS))} and ${value.length - MAX_ITEMS} more`;
  }
  return typeof value === 'string' && PLAIN.test(value) ? value : oneLine(JSON.stringify(value) ?? '');
}

/** The error of a line with its stack, each line indented: a message with line breaks cannot look like another log line. */
function errorLines(err: unknown): string[] {
  const { stack, message } = (typeof err === 'object' && err !== null ? err : {}) as Record<string, unknown>;
  const text =
    typeof stack === 'string' ? stack : typeof message === 'string' ? message : JSON.stringify(err);
  return text.split('\n').map((line) => `    ${oneLine(line.trim())}`);
}

/**
 * Returns a function that turns a log line of JSON into text for a person: the time, the level, the process if there are
 * several, the message and the fields, in one line. The stack of an error follows, indented.
 */
export function logText(colorize: boolean): (line: string) => string {
  const prettify = pretty.prettyFactory({
    colorize,
    hideObject: true,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    ignore: 'pid,hostname',
  });
  const dim = (text: string) => (colorize ? styleText('dim', text, { validateStream: false }) : text);
  return (line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    const { level, time, name, msg = '', err } = record;
    const isHidden = (key: string) =>
      NOT_FIELDS.has(key) || (key === 'reqId' && typeof level === 'number' && level < WARNING);
    const fields = Object.entries(record)
      .filter(([key]) => !isHidden(key))
      .map(([key, value]) => `${oneLine(key)}=${valueText(value)}`);
    // One process has both parts of the service, so its name says nothing.
    const shown = { level, time, msg: oneLine(String(msg)), ...(name === 'memory' ? {} : { name }) };
    const first = [prettify(shown).trimEnd(), ...fields.map((field) => dim(field))].join(' ');
    return [first, ...(err === undefined ? [] : errorLines(err)), ''].join('\n');
  };
}
