import type { ChildProcess } from 'node:child_process';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { traceFields } from './tracing/spans.ts';

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

export type { Logger };

/** How log lines are written. `auto`: for people if standard output is a terminal, else as JSON. */
export type LogFormat = 'auto' | 'json' | 'text';

const STANDARD_OUTPUT = 1;

/** Where lines for people are written: at once, so that the last ones of a process that fails are not lost. */
function textStream(): DestinationStream {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true });
  const hasColors = isatty(STANDARD_OUTPUT) && process.stdout.hasColors();
  const toText = logText(hasColors);
  return { write: (line) => void output.write(toText(line)) };
}

/**
 * The service's logger: lines on standard output. Secrets are not logged, because headers and bodies are never
 * logged. The redaction is a second protection, in case code logs a whole object.
 */
export function createLogger(level: string, name: string, format: LogFormat = 'json'): Logger {
  const options: LoggerOptions = {
    name,
    level,
    // Leads from a line to its trace, and from a slow trace to its lines.
    mixin: traceFields,
    serializers: { err: serializeError },
    redact: {
      paths: [
        'token',
        'password',
        'newPassword',
        'currentPassword',
        'authorization',
        'headers.authorization',
        'cookie',
        'headers.cookie',
        'headers["set-cookie"]',
      ].flatMap((path) => [path, `*.${path}`]),
      censor: '[redacted]',
    },
  };
  const isText = format === 'text' || (format === 'auto' && isatty(STANDARD_OUTPUT));
  return isText ? pino(options, textStream()) : pino(options);
}

/** The message from a parent process that has got the signal. */
const SWITCH_LEVEL = 'switch the log level';

/**
 * From now on, SIGUSR2 switches the level of a logger between its setting and `debug`, and logs the new level. So does the
 * message of `forwardLevelSwitch`.
 */
export function switchLevelOnSignal(logger: Logger): void {
  const setting = logger.level;
  let isDebug = false;
  const switchLevel = () => {
    isDebug = !isDebug;
    // Logged while the level is `debug`, so that the line is not lost if the setting is `silent`.
    if (isDebug) logger.level = 'debug';
    logger.info({ logLevel: isDebug ? 'debug' : setting }, 'the log level was switched');
    if (!isDebug) logger.level = setting;
  };
  process.on('SIGUSR2', switchLevel);
  process.on('message', (message) => {
    if (message === SWITCH_LEVEL) switchLevel();
  });
}

/**
 * From now on, SIGUSR2 switches the level in these processes. They get a message, because a process that still starts would
 * be ended by the signal.
 */
export function forwardLevelSwitch(children: readonly ChildProcess[]): void {
  process.on('SIGUSR2', () => {
    for (const child of children) if (child.connected) child.send(SWITCH_LEVEL, () => undefined);
  });
}

/** Omits the fields in which a database error repeats the row, because a row contains a person's text. */
function serializeError(error: Error): Record<string, unknown> {
  const { type, message, stack, code } = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}
