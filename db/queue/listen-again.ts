import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';

/** Listens on a channel, and rejects if that is not possible. */
export type Listen = NonNullable<ReturnType<PgBoss['getDb']>['listen']>;

/** The waits between attempts to listen, in milliseconds. They double from the first to the longest. */
export interface ListenWaits {
  readonly first: number;
  readonly longest: number;
}

/** An address that is down comes back soon. A pooler that passes on no notifications stays one. */
export const LISTEN_WAITS: ListenWaits = { first: 60_000, longest: 3_600_000 };

/**
 * Makes a `listen` that rejects as the given one does, so that its caller polls, but then tries again until it succeeds
 * or is closed. It can be called once. The log has a line when an attempt has succeeded, and none about those that failed:
 * the caller has reported the first.
 */
export function listenAgainLater(
  listen: Listen,
  logger: Logger,
  { first, longest }: ListenWaits,
): { listen: Listen; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let opened: Awaited<ReturnType<Listen>> | null = null;
  let isClosed = false;
  const tryAfter = (ms: number, ...of: Parameters<Listen>) => {
    if (isClosed) return;
    const attempt = async () => {
      const found = await listen(...of).catch(() => null);
      if (found === null) tryAfter(Math.min(2 * ms, longest), ...of);
      else if (isClosed) await found.close();
      else {
        opened = found;
        logger.info('LISTEN is available now');
      }
    };
    timer = setTimeout(() => void attempt(), ms);
  };
  return {
    listen: (...of) =>
      listen(...of).catch((error: unknown) => {
        tryAfter(first, ...of);
        throw error;
      }),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await opened?.close();
    },
  };
}
