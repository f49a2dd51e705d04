import type { LogPosition } from '../driver/database.ts';

/** The halves of a position are hexadecimal. */
function toNumber(position: LogPosition): bigint {
  const [high = '', low = ''] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** The later one of two positions. */
export function later(one: LogPosition, other: LogPosition): LogPosition {
  return toNumber(one) < toNumber(other) ? other : one;
}

/**
 * The positions of a primary over the last time: what a replica must have replayed so that it lags at most that long. The
 * clocks of the servers do not matter, and a replica that is cut off from the primary falls behind too.
 */
export interface PositionHistory {
  /** Adds a position that the primary had at this time, in milliseconds of one clock. */
  add(position: LogPosition, at: number): void;
  /** A replica with this position lags at most the time of the history. Null if no position of that time is known. */
  oldest(now: number): LogPosition | null;
}

export function positionHistory(lengthMs: number): PositionHistory {
  const samples: { position: LogPosition; at: number }[] = [];
  const forget = (now: number) => {
    while (samples[0] !== undefined && samples[0].at < now - lengthMs) samples.shift();
  };
  return {
    add: (position, at) => {
      forget(at);
      samples.push({ position, at });
    },
    oldest: (now) => {
      forget(now);
      return samples[0]?.position ?? null;
    },
  };
}
