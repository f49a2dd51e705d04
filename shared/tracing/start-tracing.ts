import type { Logger } from '../logger.ts';
import { withTimeout } from '../resources/async.ts';
import type { TraceConfig } from './sdk.ts';

/** Where the traces of this process go. */
export function traceExporter(config: TraceConfig): 'otlp' | 'console' | 'none' {
  if (config.otelDisabled) return 'none';
  const hasEndpoint = config.otlpEndpoint !== null || config.otlpTracesEndpoint !== null;
  return config.traceExporter ?? (hasEndpoint ? 'otlp' : 'none');
}

/** The most time for sending the last spans when the process stops. */
const FLUSH_MS = 2000;

/**
 * Starts to record traces, if the settings ask for them. Call it before anything that makes spans.
 * @param process the part of the service that this process is, for the name of the service in its traces
 * @returns a function that sends the last spans, within two seconds, and stops. It never rejects
 */
export async function startTracing(
  config: TraceConfig,
  process: 'api' | 'worker' | 'all',
  logger: Logger,
): Promise<() => Promise<void>> {
  const exporter = traceExporter(config);
  if (exporter === 'none') return async () => undefined;
  // Loaded only now: the SDK takes memory and time.
  const { startSdk } = await import('./sdk.ts');
  const shutDown = startSdk(config, exporter, process, logger);
  return () =>
    withTimeout(FLUSH_MS, shutDown(), 'the last traces were not sent in time').catch((error: unknown) => {
      // Not the error itself: it can contain what the collector answered.
      const reason = error instanceof Error ? error.name : 'unknown';
      logger.warn({ reason }, 'the last traces were not sent');
    });
}
