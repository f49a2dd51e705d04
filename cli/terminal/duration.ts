const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration such as `90`, `90s`, `15m`, `1h` or `1d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text.trim());
  if (match === null) return null;
  return Number(match[1]) * SECONDS[(match[2] || 's') as keyof typeof SECONDS];
}

/** A time to wait, in words, and never too short: `90 s`, `15 min`. */
export function describeSeconds(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
