import { type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/**
 * The service's logger: JSON lines on standard output. Secrets are not logged, because headers and bodies are never
 * logged. The redaction is a second protection, in case code logs a whole object.
 */
export function createLogger(level: string, name: string): Logger {
  return pino({
    name,
    level,
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

/** Omits the fields in which a database error repeats the row, because a row contains a person's text. */
function serializeError(error: Error): Record<string, unknown> {
  const { type, message, stack, code } = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}
