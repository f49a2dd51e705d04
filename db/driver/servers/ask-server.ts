import { Socket } from 'node:net';
import pg from 'pg';
import { withTimeout } from '../../../shared/resources/async.ts';

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

interface ServerState {
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
async function readSystem(client: Pick<pg.Client, 'query'>): Promise<string | null> {
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

/** How long ending a connection can take. A dead one would never end. */
const END_MS = 1000;

/** Ends a connection that is not one of a pool. One that does not end in time is cut off. It must have a listener for errors. */
export async function endConnection(client: pg.Client): Promise<void> {
  await withTimeout(END_MS, client.end(), 'the connection did not end in time').catch(() =>
    client.connection.stream.destroy(),
  );
}

/** What a server has answered on a connection of its own. */
export interface ServerAnswer {
  /** Null if it does not show its log. */
  state: ServerState | null;
  /** The cluster that it belongs to. Null if it does not show that. */
  system: string | null;
  /** Whether nothing is in between that could choose another server for the next connection. */
  isDirect: boolean;
}

/** Where and how to ask. */
export interface Question {
  /** An address of one host. */
  address: string;
  /** The IP address to connect to, if the name of the host has several. */
  ip?: string | undefined;
  /** How long each step can take, in milliseconds: to connect, and each answer. */
  stepMs: number;
}

/**
 * Asks through several new connections at once. They stay open until all have ended, so that a proxy or a pooler chooses a
 * server for each of them.
 * @returns the answers. A connection that fails or is not answered in time has none
 */
export async function askServers(question: Question, connections: number): Promise<ServerAnswer[]> {
  const clients: pg.Client[] = [];
  try {
    const asked = Array.from({ length: connections }, async () => {
      const client = openClient(question);
      clients.push(client);
      await client.connect();
      const state = await readState(client);
      return { state, system: await readSystem(client), isDirect: isDirect(client, state) };
    });
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  } finally {
    await Promise.all(clients.map(endConnection));
  }
}

function openClient({ address, ip, stepMs }: Question): pg.Client {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: stepMs,
    query_timeout: stepMs,
    application_name: 'team-memory-look',
    ...(ip === undefined ? {} : { stream: () => socketTo(ip) }),
  });
  // The attempt or the statement fails too, and reports the error.
  client.on('error', () => undefined);
  return client;
}

/** A socket that connects to an IP address. The driver still checks the certificate for the name of the host. */
function socketTo(ip: string): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  return Object.assign(socket, { connect: (port: number) => connect(port, ip) });
}
