import type pg from 'pg';
import { addressesOf } from '../../../shared/formats/addresses.ts';
import { REPLACED, WrongServerError } from './ask-server.ts';

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

/** What this process knows of the primaries of one database. Several addresses can lead to it. */
export interface KnownPrimaries {
  /**
   * The newest timeline that was seen. A primary that was replaced and comes back has an older one: what is written
   * there is lost when it becomes a replica. Empty: none was seen.
   */
  newest: string;
  /** All connections of this process, also those that are opening. */
  readonly connections: Map<pg.Client, KnownConnection>;
}

/** What this process knows of the servers that changes can go to by one address, of one or several hosts. */
export interface KnownServers {
  /** An address for each host. */
  readonly addresses: readonly string[];
  /** Which of them new connections go to. */
  chosen: number;
  primaries: KnownPrimaries;
  /** The search for the newest primary, before the first connection. Null: none has begun, or the last one found none. */
  search: Promise<void> | null;
  /** Whether a search has found it. Until then, no server that shows its timeline is used. */
  isSearched: boolean;
  isLooking: boolean;
  /** When the other hosts were looked at the last time, in milliseconds of `performance.now`. */
  lookedAt: number;
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
  const primaries = { newest: '', connections: new Map() };
  return { addresses, chosen: 0, primaries, search: null, isSearched: false, isLooking: false, lookedAt: 0 };
}

/**
 * Lets two addresses of one database share what is known: a timeline that was seen by one of them is then required by the
 * other. Call it before connections are opened by the second address.
 * @throws Error if an address is not valid
 */
export function shareKnownPrimaries(url: string, second: string): void {
  const { primaries } = knownServers(url);
  const other = knownServers(second);
  if (other.primaries === primaries) return;
  const { newest } = other.primaries;
  other.primaries = primaries;
  noteTimeline(primaries, newest);
}

/**
 * Notes the timeline of a primary. If it is newer than those that were seen before, all connections to servers with older
 * ones end: a server that hangs would keep what waits for it until its time is over.
 */
export function noteTimeline(primaries: KnownPrimaries, timeline: string): void {
  if (timeline <= primaries.newest) return;
  primaries.newest = timeline;
  endConnections(primaries, (connection) => connection.timeline !== null && connection.timeline < timeline);
}

/** Notes where the newest primary is. New connections go there. Those that are opening to other hosts end. */
export function notePrimary(servers: KnownServers, timeline: string, address: string): void {
  const { addresses, primaries } = servers;
  if (timeline < primaries.newest) return;
  servers.chosen = addresses.indexOf(address);
  noteTimeline(primaries, timeline);
  const others = addresses.filter((each) => each !== address);
  endConnections(primaries, (connection) => !connection.isVerified && others.includes(connection.address));
}

/** Ends connections at once: what waits for them fails. A pooler chooses the server, so its connections stay. */
function endConnections(
  { connections }: KnownPrimaries,
  isOver: (connection: KnownConnection) => boolean,
): void {
  for (const [client, connection] of connections) {
    if (connection.isPooled || !isOver(connection)) continue;
    client.connection.stream.destroy(new WrongServerError(REPLACED));
  }
}
