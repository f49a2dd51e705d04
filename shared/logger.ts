import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * The service's logger: JSON lines on standard output. Secrets never reach it: headers and bodies are not
 * logged at all, and the redaction is the second wall for whoever logs a whole object one day.
 */
export function createLogger(level: string, name: string): Logger {
  return pino({
    name,
    level,
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
