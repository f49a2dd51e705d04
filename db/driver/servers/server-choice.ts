import pg from 'pg';
import { checkEachBegin } from './checked-begin.ts';
import { findNewestPrimary } from './find-newest.ts';
import { type KnownServers, knownServers, newServers, noteTimeline } from './known-servers.ts';
import { isDirect, isReplica, REPLACED, readState, WrongServerError } from './server-state.ts';
import { type HostWatch, NO_WATCH, watchHosts } from './watch-hosts.ts';

/*
 * One address of the database can lead to several servers: it names several hosts, or a proxy or a pooler chooses one.
 * Only one of them is the primary.
 */

/** How often each host is tried while it leads to a server that must not be used. A proxy can lead to another one next time. */
const ATTEMPTS = 8;

/** Chooses among the servers of an address. */
export interface ServerChoice {
  /** The address to connect to now. */
  readonly address: () => string;
  /**
   * Calls `connect` for one address after the other until it succeeds, beginning with the address that was used last. Searches
   * for the newest primary first, unless it was found before.
   * @param isFinal whether no other attempt could succeed after this error
   * @throws the error of the last attempt
   */
  connect<T>(connect: () => Promise<T>, isFinal?: (error: unknown) => boolean): Promise<T>;
  /** A connection, which ends when its server turns out to have been replaced. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client;
  /**
   * Checks the server of a new connection.
   * @throws Error if it was the primary before another one that this process has seen, or if there are other addresses and
   *   it only reads, or is not a replica although one is wanted
   */
  readonly verify: (client: pg.Client) => Promise<void>;
  /** Watches over what waits for a server. */
  watch(): HostWatch;
}

/**
 * @param url an address of one or several hosts
 * @param isForReading whether replicas are wanted, instead of the primary
 * @throws Error if it is not valid
 */
export function chooseServer(url: string, isForReading = false): ServerChoice {
  const servers = isForReading ? newServers(url) : knownServers(url);
  const count = servers.addresses.length;
  const address = () => servers.addresses[servers.chosen] ?? url;
  return {
    address,
    connect: async (connect, isFinal = () => false) => {
      for (let attempt = 1; ; attempt += 1) {
        if (!isForReading) await (servers.search ??= searchPrimary(servers));
        const tried = address();
        try {
          return await connect();
        } catch (error) {
          if (isFinal(error)) throw error;
          // Another attempt can have chosen another address since.
          if (tried === address()) servers.chosen = (servers.chosen + 1) % count;
          const isPassing = error instanceof WrongServerError && error.isPassing;
          if (attempt >= (isPassing ? count * ATTEMPTS : count)) throw error;
        }
      }
    },
    ...(isForReading
      ? { Client: pg.Client, verify: (client) => verifyReplica(client, count), watch: () => NO_WATCH }
      : {
          Client: clientOf(servers),
          verify: (client) => verifyPrimary(client, servers),
          watch: () => (count > 1 ? watchHosts(servers) : NO_WATCH),
        }),
  };
}

/** Searches for the newest primary once for all that wait for it. If none is found, the next attempt searches again. */
async function searchPrimary(servers: KnownServers): Promise<void> {
  try {
    servers.isSearched = await findNewestPrimary(servers);
    servers.lookedAt = performance.now();
  } finally {
    if (!servers.isSearched) servers.search = null;
  }
}

/** Connections that are known from their first moment to their end. */
function clientOf(servers: KnownServers): ServerChoice['Client'] {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const address = config?.connectionString ?? '';
      const { connections } = servers.primaries;
      connections.set(this, { address, timeline: null, isPooled: false, isVerified: false });
      this.once('end', () => connections.delete(this));
    }
  };
}

async function verifyReplica(client: pg.Client, count: number): Promise<void> {
  if (count > 1 && !(await isReplica(client))) throw new WrongServerError('the server is no replica');
}

async function verifyPrimary(client: pg.Client, servers: KnownServers): Promise<void> {
  const state = await readState(client);
  const { primaries } = servers;
  const connection = primaries.connections.get(client);
  if (connection === undefined) throw new WrongServerError('the connection has ended');
  connection.isVerified = true;
  if (state === null) return;
  const { onlyReads, timeline, pid } = state;
  if (onlyReads && servers.addresses.length > 1) throw new WrongServerError('the server only reads');
  // The protocol tells the process of the server. A pooler tells a number of its own.
  connection.isPooled = pid !== (client as pg.Client & { processID?: number | null }).processID;
  if (connection.isPooled) checkEachBegin(client, primaries);
  if (timeline === null) return;
  // It did not answer while it was searched for, so another one can be newer.
  if (!servers.isSearched) throw new WrongServerError('no primary was found before', { isPassing: true });
  connection.timeline = timeline;
  if (timeline < primaries.newest)
    throw new WrongServerError(REPLACED, { isPassing: !isDirect(client, state) });
  noteTimeline(primaries, timeline);
}
