import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A logger whose warnings a test reads as they come. */
export function warningsOf(): { logger: Logger; warnings: Record<string, unknown>[] } {
  const warnings: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      warnings.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  return { logger: pino({ level: 'warn' }, sink), warnings };
}
