import pg from 'pg';
import { checkEachBegin } from './checked-begin.ts';
import { type KnownServers, knownServers, newServers, noteTimeline } from './known-servers.ts';
import { isReplica, REPLACED, readState, WrongServerError } from './server-state.ts';
import { type HostWatch, NO_WATCH, watchHosts } from './watch-hosts.ts';

/*
 * One address of the database can lead to several servers: it names several hosts, or a proxy or a pooler chooses one.
 * Only one of them is the primary.
 */

/** Chooses among the servers of an address. */
export interface ServerChoice {
  /** The address to connect to now. */
  readonly address: () => string;
  /** How many addresses there are. */
  readonly count: number;
  /** The next address is used from now on, if it is still this one that failed. */
  skip(failed: string): void;
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
    count,
    skip: (failed) => {
      if (failed === address()) servers.chosen = (servers.chosen + 1) % count;
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

/** Connections that are known from their first moment to their end. */
function clientOf({ connections }: KnownServers): ServerChoice['Client'] {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const address = config?.connectionString ?? '';
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
  const connection = servers.connections.get(client);
  if (connection === undefined) throw new WrongServerError('the connection has ended');
  connection.isVerified = true;
  if (state === null) return;
  const { onlyReads, timeline, pid } = state;
  if (onlyReads && servers.addresses.length > 1) throw new WrongServerError('the server only reads');
  // The protocol tells the process of the server. A pooler tells a number of its own.
  connection.isPooled = pid !== (client as pg.Client & { processID?: number | null }).processID;
  if (connection.isPooled) checkEachBegin(client, servers);
  if (timeline === null) return;
  connection.timeline = timeline;
  if (timeline < servers.newest) throw new WrongServerError(REPLACED);
  noteTimeline(servers, timeline);
}
