import pg from 'pg';
import { endConnection } from './end-connection.ts';
import { type KnownServers, notePrimary } from './known-servers.ts';
import { readState } from './server-state.ts';

/** How long a pool waits for an answer until the other hosts are looked at, and until the next look, in milliseconds. */
const LOOK_AFTER_MS = 1000;
/** How long each step of a look can take: to connect, and to ask. */
const STEP_MS = 1000;

/**
 * Watches over the statements and attempts to connect of a pool. While one waits and nothing is answered, the other hosts
 * are looked at: a server that hangs keeps its connections open, and another one can be the primary already.
 */
export interface HostWatch {
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

export function watchHosts(servers: KnownServers): HostWatch {
  let waiting = 0;
  let quietSince = 0;
  let timer: NodeJS.Timeout | undefined;
  const later = (ms: number) => {
    timer = setTimeout(check, ms).unref();
  };
  const check = () => {
    const left = quietSince + LOOK_AFTER_MS - performance.now();
    if (left <= 0) void lookAtOthers(servers);
    later(left > 0 ? left : LOOK_AFTER_MS);
  };
  const noteAnswer = () => {
    quietSince = performance.now();
  };
  return {
    begin: () => {
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

/** Looks for a primary at the other hosts. One look at a time, for all pools of the address. */
async function lookAtOthers(servers: KnownServers): Promise<void> {
  // Without a timeline to compare with, a primary that was replaced would look like any other.
  if (servers.isLooking || servers.newest === '') return;
  servers.isLooking = true;
  const others = servers.addresses.filter((_address, index) => index !== servers.chosen);
  await Promise.all(
    others.map(async (address) => {
      // A host that cannot be reached is no primary.
      const timeline = await timelineOf(address).catch(() => null);
      if (timeline !== null) notePrimary(servers, timeline, address);
    }),
  );
  servers.isLooking = false;
}

/**
 * Returns the timeline of a server. Null if it accepts no changes.
 * @throws Error if it does not answer in time
 */
async function timelineOf(connectionString: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: STEP_MS,
    query_timeout: STEP_MS,
    application_name: 'team-memory-look',
  });
  // The attempt or the statement fails too, and reports the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const state = await readState(client);
    return state === null || state.onlyReads ? null : state.timeline;
  } finally {
    await endConnection(client);
  }
}
