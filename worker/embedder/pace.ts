const SPAN_MS = 60_000;

/** The rate at which chunks recently got their vectors. */
export interface Pace {
  add(chunks: number): void;
  /** Over the last minute, or since the first vector if that is less. */
  perMinute(): number;
}

export function pace(now: () => number = () => performance.now()): Pace {
  let stored: { at: number; chunks: number }[] = [];
  let first: number | null = null;
  const recent = () => {
    const from = now() - SPAN_MS;
    stored = stored.filter(({ at }) => at > from);
    return stored;
  };
  return {
    add: (chunks) => {
      first ??= now();
      stored.push({ at: now(), chunks });
    },
    perMinute: () => {
      const chunks = recent().reduce((sum, part) => sum + part.chunks, 0);
      // How long the first vectors took is not known, so at least one second is assumed.
      const span = Math.min(SPAN_MS, Math.max(1000, now() - (first ?? now())));
      return Math.round((chunks * SPAN_MS) / span);
    },
  };
}
