import type pg from 'pg';
import { addressesOf } from '../../shared/formats/database-address.ts';

/*
 * One address of the database can lead to several servers: it names several hosts, or a proxy or a pooler chooses one.
 * Only one of them is the primary.
 */

/** A server that must not be used. Callers get 503, as for every server that cannot be used now. */
class WrongServerError extends Error {
  override name = 'WrongServerError';
  /** The SQLSTATE of a server that cannot accept connections now. */
  readonly code = '57P03';
}

interface ServerState {
  onlyReads: boolean;
  /** Null on a replica. */
  timeline: string | null;
}

/**
 * Reads the timeline of a server, which rises with each promotion. Its name begins the name of each file of the log, as
 * eight hexadecimal digits.
 */
const STATE = `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "onlyReads",
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline`;

/** SQLSTATEs of a function that the server does not have, or that this role cannot call. */
const UNKNOWN = new Set<unknown>(['0A000', '42501', '42883']);

async function readState(client: Pick<pg.Client, 'query'>): Promise<ServerState> {
  try {
    const { rows } = await client.query<ServerState>(STATE);
    return rows[0] ?? { onlyReads: false, timeline: null };
  } catch (error) {
    // Some hosted servers do not show their log. They choose the primary themselves.
    if (UNKNOWN.has((error as { code?: unknown }).code)) return { onlyReads: false, timeline: null };
    throw error;
  }
}

async function isReplica(client: Pick<pg.Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select pg_is_in_recovery() as found');
  return rows[0]?.found === true;
}

/** Chooses among the servers of an address. */
export interface ServerChoice {
  /** The address to connect to now. */
  readonly address: () => string;
  /** How many addresses there are. */
  readonly count: number;
  /** The next address is used from now on, if it is still this one that failed. */
  skip(failed: string): void;
  /**
   * Checks the server of a new connection.
   * @throws Error if it was the primary before another one that this process has seen, or if there are other addresses and
   *   it only reads, or is not a replica although one is wanted
   */
  readonly verify: (client: Pick<pg.Client, 'query'>) => Promise<void>;
}

/**
 * The newest timeline that this process has seen at each address. A primary that was replaced and
 * comes back has an older one: what is written there is lost when it becomes a replica.
 */
const newest = new Map<string, string>();

/**
 * @param url an address of one or several hosts
 * @param isForReading whether replicas are wanted, instead of the primary
 * @throws Error if it is not valid
 */
export function chooseServer(url: string, isForReading = false): ServerChoice {
  const addresses = addressesOf(url);
  if (addresses === null) throw new Error('the address of the database is not valid');
  let chosen = 0;
  const address = () => addresses[chosen] ?? url;
  return {
    address,
    count: addresses.length,
    skip: (failed) => {
      if (failed === address()) chosen = (chosen + 1) % addresses.length;
    },
    verify: async (client) => {
      if (isForReading) {
        if (addresses.length > 1 && !(await isReplica(client))) {
          throw new WrongServerError('the server is no replica');
        }
        return;
      }
      const { onlyReads, timeline } = await readState(client);
      if (onlyReads && addresses.length > 1) throw new WrongServerError('the server only reads');
      if (timeline === null) return;
      const seen = newest.get(url) ?? '';
      if (timeline < seen) throw new WrongServerError('the server was replaced by another primary');
      newest.set(url, timeline);
    },
  };
}
