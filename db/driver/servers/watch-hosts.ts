import { askServers } from './ask-server.ts';
import { type KnownServers, notePrimary } from './known-servers.ts';

/** How long a pool waits for an answer until the other hosts are looked at, and until the next look, in milliseconds. */
const LOOK_AFTER_MS = 1000;
/** How long each step of a look can take: to connect, and to ask. */
const STEP_MS = 1000;
/** How often the other hosts are looked at while statements are answered, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/**
 * Watches over the statements and attempts to connect of a pool. While one waits and nothing is answered, the other hosts
 * are looked at: a server that hangs keeps its connections open, and another one can be the primary already. They are also
 * looked at from time to time: one that could not be reached when this process has started can be the newest primary.
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
      const [answer] = await askServers({ address, stepMs: STEP_MS }, 1);
      const timeline = answer?.state?.onlyReads === false ? answer.state.timeline : null;
      if (timeline === null || (!hangs && timeline <= servers.primaries.newest)) return;
      notePrimary(servers, timeline, address);
    }),
  );
  servers.isLooking = false;
  servers.lookedAt = performance.now();
}
