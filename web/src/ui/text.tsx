import type { ReactNode } from 'react';

/** A number with the word for what is counted. */
export const count = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** A size that people can read. */
export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit += 1) value /= 1000;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${UNITS[unit]}`;
}

/** A name from data: its direction does not change what is around it. */
export const Name = ({ children, className }: { children: string; className?: string }) => (
  <bdi className={className}>{children}</bdi>
);

/** An address from data, as a link if a browser can follow it safely. */
export const Address = ({ uri }: { uri: string }) =>
  /^https?:\/\//i.test(uri) && URL.canParse(uri) ? (
    <a href={uri} target="_blank" rel="noopener noreferrer" className="text-brand underline">
      <Name>{uri}</Name>
    </a>
  ) : (
    <Name>{uri}</Name>
  );

/** The name of a Team. */
export const TeamName = ({ team: { name, state } }: { team: { name: string; state: string } }) => (
  <span className="max-w-64 truncate">
    <Name>{name}</Name>
    {state === 'archived' && ' (archived)'}
  </span>
);

const ABSOLUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

const STEPS: readonly [below: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [60, 'minute', 60],
  [24, 'hour', 3600],
  [7, 'day', 86_400],
];

/** How long ago a time was, or how far away it is; after a week, its day. */
function relativeTime(at: Date, now = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 60) return 'just now';
  // A number that is rounded up to the next unit is told in that unit.
  const step = STEPS.find(([below, , length]) => Math.round(Math.abs(seconds) / length) < below);
  if (step !== undefined) return RELATIVE.format(Math.round(seconds / step[2]), step[1]);
  return (at.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(at);
}

/** A time in words, in the largest unit that gives two or more. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return count(Math.round(seconds / 86_400), 'day');
}

/** A time, with the exact one as its tooltip; a day is the same everywhere. */
export function Time({ at, className }: { at: string; className?: string }) {
  const isDay = at.length <= 10;
  const date = new Date(at);
  return (
    <time dateTime={at} title={isDay ? undefined : ABSOLUTE.format(date)} className={className}>
      {isDay ? at : relativeTime(date)}
    </time>
  );
}

const TONES = { plain: 'text-soft', good: 'text-good', warn: 'text-warn', bad: 'text-bad' };
type TagProps = { children: ReactNode; tone?: keyof typeof TONES; className?: string };

/** A word that classifies a record. */
export const Tag = ({ children, tone = 'plain', className = '' }: TagProps) => (
  <span
    className={`inline-block max-w-48 truncate rounded align-middle border border-line px-1.5 text-xs leading-5 ${TONES[tone]} ${className}`}
  >
    {children}
  </span>
);
