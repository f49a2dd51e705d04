import type { ChildProcess } from 'node:child_process';
import { type Logger, pino, stdSerializers } from 'pino';
import { traceFields } from './tracing/spans.ts';

export type { Logger };

/**
 * The service's logger: JSON lines on standard output. Secrets are not logged, because headers and bodies are never
 * logged. The redaction is a second protection, in case code logs a whole object.
 */
export function createLogger(level: string, name: string): Logger {
  return pino({
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
  });
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
