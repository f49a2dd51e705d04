import { normalizeIP } from '@fastify/rate-limit';
import type { Logger } from '../shared/logger.ts';

const WINDOW_MS = 60_000;
/** Addresses that are counted at once. Those beyond it count as one, or a botnet would decide how much memory it takes. */
const MAX_ADDRESSES = 1000;

/** Events of one address since its last line. */
interface Entry {
  count: number;
  logged: boolean;
  timer: NodeJS.Timeout;
}

/** Logs events by address. */
export interface AddressLog {
  note(address: string): void;
  /** Logs what was counted since the last lines. */
  close(): void;
}

/**
 * Logs a warning with address and count: at the `threshold`th event of an address within a minute, then once a minute
 * as long as they go on. An IPv6 network of 64 bits counts as one address.
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
    note: (from) => {
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
