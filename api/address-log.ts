import { normalizeIP } from '@fastify/rate-limit';
import type { Logger } from '../shared/logger.ts';

const WINDOW_MS = 60_000;
/**
 * The most addresses that are counted separately. All others count as one, so that a botnet cannot exhaust the
 * memory.
 */
const MAX_ADDRESSES = 1000;

/** The events of one address since its last log line. */
interface Entry {
  count: number;
  logged: boolean;
  timer: NodeJS.Timeout;
}

/** Logs events by address. */
export interface AddressLog {
  record(address: string): void;
  /** Logs the events that were counted since the last lines. */
  close(): void;
}

/**
 * Logs a warning with an address and the count of its events: at the `threshold`th event within a minute, and then
 * once a minute while the events continue. An IPv6 network of 64 bits counts as one address.
 */
export function addressLog(logger: Logger, message: string, threshold: number): AddressLog {
  const entries = new Map<string, Entry>();

  function emit(address: string, entry: Entry): void {
    logger.warn({ address, count: entry.count }, message);
    entry.count = 0;
    entry.logged = true;
  }

  function startWindow(address: string): NodeJS.Timeout {
    return setTimeout(() => endWindow(address), WINDOW_MS).unref();
  }

  function endWindow(address: string): void {
    const entry = entries.get(address);
    if (entry === undefined) return;
    if (entry.logged && entry.count > 0) {
      emit(address, entry);
      entry.timer = startWindow(address);
    } else {
      entries.delete(address);
    }
  }

  return {
    record: (from) => {
      const known = normalizeIP(from);
      const address = entries.has(known) || entries.size < MAX_ADDRESSES ? known : 'others';
      const entry = entries.get(address) ?? { count: 0, logged: false, timer: startWindow(address) };
      entries.set(address, entry);
      entry.count += 1;
      if (entry.logged || entry.count < threshold) return;
      emit(address, entry);
      clearTimeout(entry.timer);
      entry.timer = startWindow(address);
    },
    close: () => {
      for (const [address, entry] of entries) {
        clearTimeout(entry.timer);
        if (entry.logged && entry.count > 0) emit(address, entry);
      }
      entries.clear();
    },
  };
}
