import type { Socket } from 'node:net';
import type pg from 'pg';

/** A server that must not be used. Callers get 503, as for every server that cannot be used now. */
export class WrongServerError extends Error {
  override name = 'WrongServerError';
  /** The SQLSTATE of a server that cannot accept connections now. */
  readonly code = '57P03';
  /** Whether the same address can be used the next time, for example because a proxy chooses another server. */
  readonly isPassing: boolean;

  constructor(
    message: string,
    { isPassing = false, ...options }: ErrorOptions & { isPassing?: boolean } = {},
  ) {
    super(message, options);
    this.isPassing = isPassing;
  }
}

export const REPLACED = 'the server was replaced by another primary';

/**
 * The timeline of a server, which rises with each promotion. Its name begins the name of each file of the log, as eight
 * hexadecimal digits. Null on a replica.
 */
export const TIMELINE =
  'case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end';

const STATE = `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "onlyReads",
  ${TIMELINE} as timeline, pg_backend_pid() as pid, host(inet_server_addr()) || ' ' || inet_server_port() as place`;

export interface ServerState {
  onlyReads: boolean;
  /** Null on a replica. */
  timeline: string | null;
  /** The process of the server that has answered. */
  pid: number;
  /** The IP address and the port at which the server has accepted the connection. Null for a Unix socket. */
  place: string | null;
}

/** SQLSTATEs of a function that the server does not have, or that this role cannot call. */
const UNKNOWN = new Set<unknown>(['0A000', '42501', '42883']);

/** Returns the state of a server. Null if it does not show its log, as some hosted servers: they choose the primary. */
export async function readState(client: Pick<pg.Client, 'query'>): Promise<ServerState | null> {
  try {
    const { rows } = await client.query<ServerState>(STATE);
    return rows[0] ?? null;
  } catch (error) {
    if (UNKNOWN.has((error as { code?: unknown }).code)) return null;
    throw error;
  }
}

/**
 * Whether a connection leads to its server without a proxy, a pooler or a translation of addresses in between. Also if the
 * server does not show its log: then its provider chooses.
 */
export function isDirect({ connection }: pg.Client, state: ServerState | null): boolean {
  if (state === null) return true;
  const { remoteAddress, remotePort } = connection.stream as Socket;
  return state.place === (remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`);
}

/** Returns the identifier of the cluster of a server, which its replicas share. Null if it does not show it. */
export async function readSystem(client: Pick<pg.Client, 'query'>): Promise<string | null> {
  try {
    const { rows } = await client.query<{ system: string }>(
      'select system_identifier::text as system from pg_control_system()',
    );
    return rows[0]?.system ?? null;
  } catch (error) {
    if (UNKNOWN.has((error as { code?: unknown }).code)) return null;
    throw error;
  }
}

export async function isReplica(client: Pick<pg.Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select pg_is_in_recovery() as found');
  return rows[0]?.found === true;
}
