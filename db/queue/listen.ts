import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import { newId } from '../../shared/ids.ts';
import { describeError } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/async.ts';
import { endConnection } from '../driver/servers/ask-server.ts';

/** How long the notification that proves LISTEN can take. */
const PROOF_TIMEOUT_MS = 2000;
/** How often the connection is checked. A dead connection reports nothing. */
const CHECK_INTERVAL_MS = 10_000;
/** The waits between attempts to connect again, which double. */
const [FIRST_RETRY_MS, MAX_RETRY_MS] = [250, 5000];
/** How often a pooler is asked for the connection on which LISTEN must be undone. */
const UNDO_ATTEMPTS = 20;

/**
 * No connection can be opened, it does not accept LISTEN, or no notification arrives: a pooler can be between this process
 * and the database. The message is only the reason, in one line.
 */
export class ListenUnavailableError extends Error {
  override name = 'ListenUnavailableError';
  constructor(cause: unknown) {
    super(describeError(cause), { cause });
  }
}

/** What listening needs. */
export interface Listening {
  /** Opens a connection that only listens. */
  readonly connect: () => Promise<pg.Client>;
  /** Sends a notification to the channel over another connection. */
  readonly notify: (payload: string) => Promise<void>;
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called when the connection was opened or opened again: notifications can have been missed. */
  readonly onConnect: () => void;
  readonly logger: Logger;
}

/**
 * Listens on a channel until it is closed. If the connection is lost, it is opened again.
 * @throws ListenUnavailableError if the connection cannot be opened, or a notification to itself does not arrive. No
 *   connection is left that listens
 */
export async function listenOn(needed: Listening): Promise<{ close(): Promise<void> }> {
  const { onConnect, logger } = needed;
  let client: pg.Client | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const later = (ms: number, run: () => Promise<void>) => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void run(), ms);
  };

  const lose = (lost: pg.Client, error: Error) => {
    if (client !== lost) return;
    client = null;
    logger.warn({ err: error }, 'the connection that listens was lost');
    void endConnection(lost);
    later(0, () => reconnect(FIRST_RETRY_MS));
  };
  const check = async (checked: pg.Client): Promise<void> => {
    try {
      await withTimeout(PROOF_TIMEOUT_MS, checked.query('select 1'), 'the connection that listens is dead');
      later(CHECK_INTERVAL_MS, () => check(checked));
    } catch (error) {
      lose(checked, error as Error);
    }
  };
  const open = async () => {
    const opened = await listenOnce(needed);
    if (isClosed) return endConnection(opened);
    client = opened;
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the connection that listens ended')));
    later(CHECK_INTERVAL_MS, () => check(opened));
    onConnect();
  };
  const reconnect = (retryMs: number): Promise<void> =>
    open().catch(() => later(retryMs, () => reconnect(Math.min(2 * retryMs, MAX_RETRY_MS))));

  await open();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      if (last !== null) await endConnection(last);
    },
  };
}

/** Opens a connection, listens on it, and proves it by a notification that another connection sends. */
async function listenOnce({ connect, notify, channel, onNotification }: Listening): Promise<pg.Client> {
  const client = await connect().catch((error: unknown) => {
    throw new ListenUnavailableError(error);
  });
  const proof = newId();
  const { promise: isProven, resolve } = Promise.withResolvers<void>();
  client.on('notification', ({ channel: from, payload = '' }) => {
    if (from !== channel) return;
    if (payload === proof) resolve();
    else onNotification(payload);
  });
  let pid: number | undefined;
  try {
    pid = await listenAndReturnPid(client, channel);
    await notify(proof);
    await withTimeout(PROOF_TIMEOUT_MS, isProven, 'no notification arrived');
    return client;
  } catch (error) {
    if (pid !== undefined) await undo(client, channel, pid);
    await endConnection(client);
    throw new ListenUnavailableError(error);
  }
}

/** Listens, and returns the process of the server that does so, in one statement: a pooler can change it in between. */
async function listenAndReturnPid(client: pg.Client, channel: string): Promise<number | undefined> {
  const results: unknown = await client.query(
    `listen ${pg.escapeIdentifier(channel)}; select pg_backend_pid() as pid`,
  );
  return (results as pg.QueryResult<{ pid: number }>[])[1]?.rows[0]?.pid;
}

/**
 * Undoes LISTEN. A pooler can send the statement to another connection than the one that listens, so it is repeated
 * until it has reached that one.
 */
async function undo(client: pg.Client, channel: string, pid: number): Promise<void> {
  const statement = `do $$ begin if pg_backend_pid() = ${pid} then
    execute ${pg.escapeLiteral(`unlisten ${pg.escapeIdentifier(channel)}`)}; end if; end $$; select pg_backend_pid() as pid`;
  for (let attempt = 1; attempt <= UNDO_ATTEMPTS; attempt += 1) {
    const results: unknown = await client.query(statement).catch(() => null);
    if (results === null) return;
    if ((results as pg.QueryResult<{ pid: number }>[])[1]?.rows[0]?.pid === pid) return;
  }
}

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
