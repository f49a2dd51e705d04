import type { ChildProcess } from 'node:child_process';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { logText } from './log-text.ts';
import { traceFields } from './tracing/spans.ts';

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
