import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import pg from 'pg';
import { askServers, type ServerAnswer } from './ask-server.ts';
import { type KnownServers, notePrimary } from './known-servers.ts';

/*
 * A process that starts has seen no timeline. If a primary that was replaced is back beside the new one, both accept
 * changes, and only a comparison tells which one is newer. So all servers that an address leads to are asked first.
 */

/** How long a host can take to accept a connection, and to answer: as long as the pool waits for one. */
const STEP_MS = 5000;
/** Through a proxy, several connections ask at once, and several times. The smallest pool has as many connections. */
const AT_ONCE = 4;
const TIMES = 3;

/** Resolves the name of a host to all of its IP addresses. */
export type ResolveHost = (host: string) => Promise<readonly { address: string }[]>;

const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

/**
 * Asks every server of an address for its timeline, and chooses the newest primary. From then on, no other is used.
 * @returns whether a server was found that can be used. If not, another call can find one
 * @throws Error if servers of different clusters accept changes: their timelines cannot be compared
 */
export async function findNewestPrimary(servers: KnownServers, resolve = resolveHost): Promise<boolean> {
  const answers = await Promise.all(
    servers.addresses.map(async (address) =>
      (await askHost(address, resolve)).map((answer) => ({ address, ...answer })),
    ),
  );
  let newest: { timeline: string; address: string } | undefined;
  const systems = new Set<string>();
  let showsNoLog = false;
  for (const { address, state, system } of answers.flat()) {
    if (state === null) showsNoLog = true;
    if (state === null || state.onlyReads || state.timeline === null) continue;
    const { timeline } = state;
    if (system !== null) systems.add(system);
    if (newest === undefined || timeline > newest.timeline) newest = { timeline, address };
  }
  if (systems.size > 1)
    throw new Error(
      'the address of the database leads to primaries of different clusters: name only one of them',
    );
  if (newest !== undefined) notePrimary(servers, newest.timeline, newest.address);
  return newest !== undefined || showsNoLog;
}

/** Asks a host, or each server behind it. */
async function askHost(address: string, resolve: ResolveHost): Promise<ServerAnswer[]> {
  const ips = await ipsOf(address, resolve);
  const answers = await Promise.all(ips.map((ip) => askThrough({ address, ip, stepMs: STEP_MS })));
  return answers.flat();
}

async function askThrough(question: Parameters<typeof askServers>[0]): Promise<ServerAnswer[]> {
  const answers = await askServers(question, 1);
  if (answers.every(({ isDirect }) => isDirect)) return answers;
  for (let time = 1; time <= TIMES; time += 1) answers.push(...(await askServers(question, AT_ONCE)));
  return answers;
}

/** The IP addresses of a host that has several. Otherwise the driver finds the only one. */
async function ipsOf(address: string, resolve: ResolveHost): Promise<(string | undefined)[]> {
  const { host } = new pg.Client({ connectionString: address });
  // The host can be the folder of a Unix socket.
  if (host.startsWith('/') || isIP(host) !== 0) return [undefined];
  // If the name cannot be resolved, the attempt to connect fails too.
  const found = await resolve(host).catch(() => []);
  return found.length > 1 ? found.map((one) => one.address) : [undefined];
}
