import { Socket } from 'node:net';
import pg from 'pg';
import { endConnection } from './end-connection.ts';
import { isDirect, readState, readSystem, type ServerState } from './server-state.ts';

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
