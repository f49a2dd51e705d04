import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import pg from 'pg';
import {
  askServers,
  isDirect,
  isReplica,
  REPLACED,
  readState,
  type ServerAnswer,
  TIMELINE,
  WrongServerError,
} from './ask-server.ts';
import {
  type KnownPrimaries,
  type KnownServers,
  knownServers,
  newServers,
  notePrimary,
  noteTimeline,
} from './known-servers.ts';

/*
 * A pooler chooses a server for each transaction, so it is not enough to check the server of a new connection. The
 * server itself must refuse the transaction: a single statement and its commit are in the packet of its `begin`.
 */

/** The connections to a pooler. */
const pooled = new WeakMap<pg.Client, KnownPrimaries>();

/** From now on, `sendBegin` checks the server of each transaction of a connection. */
export function checkEachBegin(client: pg.Client, primaries: KnownPrimaries): void {
  pooled.set(client, primaries);
}

/** The error of a server that fails the check contains this text, and after it the timeline. */
const MARK = 'replaced server of timeline ';
/** The SQLSTATE of a text that is no number. */
const NO_NUMBER = '22P02';

/** Returns the timeline of a server. It fails on one that is older, because it then converts a text into a number. */
const check = (newest: string) =>
  `select timeline, case when timeline < '${newest}' then ('${MARK}' || timeline)::int end
     from (select ${TIMELINE} as timeline) as server`;

/**
 * Sends what begins a transaction, or a script that is one. Behind a pooler, the server is checked in the same packet.
 * Not before a timeline was seen: a server can hide its log.
 * @param text begins with the statement `begin`, alone or with others after it
 * @throws WrongServerError if the server was replaced. It refuses the rest of the transaction
 */
export async function sendBegin(client: pg.Client, text: string): Promise<pg.QueryResult | pg.QueryResult[]> {
  const primaries = pooled.get(client);
  if (primaries === undefined || primaries.newest === '') return client.query(text);
  const end = text.includes(';') ? text.indexOf(';') : text.length;
  try {
    const checked = `${text.slice(0, end)}; ${check(primaries.newest)}${text.slice(end)}`;
    const answers: unknown = await client.query(checked);
    const [begun, found, ...others] = answers as [pg.QueryResult, pg.QueryResult, ...pg.QueryResult[]];
    const { timeline } = found.rows[0] as { timeline: string | null };
    if (timeline !== null) noteTimeline(primaries, timeline);
    return [begun, ...others];
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code === NO_NUMBER && message.includes(MARK)) throw new WrongServerError(REPLACED, { cause: error });
    throw error;
  }
}

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

/** How long a pool waits for an answer until the other hosts are looked at, and until the next look, in milliseconds. */
const LOOK_AFTER_MS = 1000;
/** How long each step of a look can take: to connect, and to ask. */
const WATCH_STEP_MS = 1000;
/** How often the other hosts are looked at while statements are answered, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/**
 * Watches over the statements and attempts to connect of a pool. While one waits and nothing is answered, the other hosts
 * are looked at: a server that hangs keeps its connections open, and another one can be the primary already. They are also
 * looked at from time to time: one that could not be reached when this process has started can be the newest primary.
 */
interface HostWatch {
  /** A statement or an attempt to connect begins to wait. */
  begin(): void;
  /** A server has answered. */
  noteAnswer(): void;
  /** What has begun has ended. */
  end(): void;
}

/** For one host. */
export const NO_WATCH: HostWatch = {
  begin: () => undefined,
  noteAnswer: () => undefined,
  end: () => undefined,
};

function watchHosts(servers: KnownServers): HostWatch {
  let waiting = 0;
  let quietSince = 0;
  let timer: NodeJS.Timeout | undefined;
  const later = (ms: number) => {
    timer = setTimeout(check, ms).unref();
  };
  const check = () => {
    const left = quietSince + LOOK_AFTER_MS - performance.now();
    if (left <= 0) void lookAtOthers(servers, true);
    later(left > 0 ? left : LOOK_AFTER_MS);
  };
  const noteAnswer = () => {
    quietSince = performance.now();
  };
  return {
    begin: () => {
      if (performance.now() - servers.lookedAt > LOOK_EVERY_MS) void lookAtOthers(servers, false);
      waiting += 1;
      if (waiting > 1) return;
      noteAnswer();
      later(LOOK_AFTER_MS);
    },
    noteAnswer,
    end: () => {
      waiting -= 1;
      if (waiting === 0) clearTimeout(timer);
    },
  };
}

/**
 * Looks for a primary at the other hosts. One look at a time, for all pools of the address.
 * @param hangs whether the chosen host does not answer. Another host of the same timeline is then used too: it can be another
 *   way to the same server
 */
async function lookAtOthers(servers: KnownServers, hangs: boolean): Promise<void> {
  // Without a timeline to compare with, a primary that was replaced would look like any other.
  if (servers.isLooking || servers.primaries.newest === '') return;
  servers.isLooking = true;
  const others = servers.addresses.filter((_address, index) => index !== servers.chosen);
  await Promise.all(
    others.map(async (address) => {
      // A host that cannot be reached is no primary.
      const [answer] = await askServers({ address, stepMs: WATCH_STEP_MS }, 1);
      const timeline = answer?.state?.onlyReads === false ? answer.state.timeline : null;
      if (timeline === null || (!hangs && timeline <= servers.primaries.newest)) return;
      notePrimary(servers, timeline, address);
    }),
  );
  servers.isLooking = false;
  servers.lookedAt = performance.now();
}

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
