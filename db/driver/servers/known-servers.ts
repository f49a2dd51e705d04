import type pg from 'pg';
import { addressesOf } from '../../../shared/formats/database-address.ts';
import { REPLACED, WrongServerError } from './server-state.ts';

/** What is known of a connection, which can still be opening. */
export interface KnownConnection {
  /** Where it leads to. */
  readonly address: string;
  /** The timeline of its server. Null: it is not known yet, or the server does not show it. */
  timeline: string | null;
  /** Whether a pooler is in between, which chooses a server for each transaction. */
  isPooled: boolean;
  /** Whether its server was looked at. */
  isVerified: boolean;
}

/** What this process knows of the servers that changes can go to by one address, of one or several hosts. */
export interface KnownServers {
  /** An address for each host. */
  readonly addresses: readonly string[];
  /** Which of them new connections go to. */
  chosen: number;
  /**
   * The newest timeline that was seen. A primary that was replaced and comes back has an older one: what is written
   * there is lost when it becomes a replica. Empty: none was seen.
   */
  newest: string;
  /** All connections of this process, also those that are opening. */
  readonly connections: Map<pg.Client, KnownConnection>;
  isLooking: boolean;
}

/** By address. All pools of a process with one address share what is known, so that one of them can tell the others. */
const known = new Map<string, KnownServers>();

/** @throws Error if the address is not valid */
export function knownServers(url: string): KnownServers {
  const found = known.get(url);
  if (found !== undefined) return found;
  const servers = newServers(url);
  known.set(url, servers);
  return servers;
}

/** @throws Error if the address is not valid */
export function newServers(url: string): KnownServers {
  const addresses = addressesOf(url);
  if (addresses === null) throw new Error('the address of the database is not valid');
  return { addresses, chosen: 0, newest: '', connections: new Map(), isLooking: false };
}

/**
 * Notes the timeline of a primary. If it is newer than those that were seen before, all connections to servers with older
 * ones end: a server that hangs would keep what waits for it until its time is over.
 */
export function noteTimeline(servers: KnownServers, timeline: string): void {
  if (timeline <= servers.newest) return;
  servers.newest = timeline;
  endConnections(servers, (connection) => connection.timeline !== null && connection.timeline < timeline);
}

/** Notes where the newest primary is. New connections go there. Those that are opening to other hosts end. */
export function notePrimary(servers: KnownServers, timeline: string, address: string): void {
  if (timeline < servers.newest) return;
  servers.chosen = servers.addresses.indexOf(address);
  noteTimeline(servers, timeline);
  endConnections(servers, (connection) => !connection.isVerified && connection.address !== address);
}

/** Ends connections at once: what waits for them fails. A pooler chooses the server, so its connections stay. */
function endConnections(
  { connections }: KnownServers,
  isOver: (connection: KnownConnection) => boolean,
): void {
  for (const [client, connection] of connections) {
    if (connection.isPooled || !isOver(connection)) continue;
    client.connection.stream.destroy(new WrongServerError(REPLACED));
  }
}
