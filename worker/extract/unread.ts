import { MAX_UNREAD, MAX_UNREAD_NAME, MAX_UNREAD_NAMES, type Unread } from '../../shared/schemas/unread.ts';
import { oneLine } from './text.ts';

/** So much of a name is checked for credentials, before it is cut: half a credential would not be found. */
const MAX_CHECKED_NAME = 4000;

type Name = Unread['names'][number];

function toName(given: Name): Name {
  if (Number.isSafeInteger(given)) return given;
  const name = oneLine(String(given).slice(0, MAX_CHECKED_NAME));
  return name === '' ? 'without a name' : name;
}

/** Numbers in order, then texts in the order in which they were found, without repeats. */
function distinct(names: readonly Name[]): Name[] {
  const all = [...new Set(names)];
  const isNumber = (name: Name) => typeof name === 'number';
  return [
    ...all.filter(isNumber).sort((a, b) => Number(a) - Number(b)),
    ...all.filter((name) => !isNumber(name)),
  ];
}

/**
 * What a reader did not read, within the bounds of `Unread` except for the length of its names: pieces of the same kind with
 * the same reason are one entry.
 */
export function mergeUnread(given: readonly Unread[]): Unread[] {
  const entries = Map.groupBy(given, ({ kind, reason }) => `${kind} ${reason}`);
  return [...entries.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const names = distinct([first, ...others].flatMap((entry) => entry.names.map(toName)));
      if (names.length === 0) return [];
      const listed = names.length > MAX_UNREAD_NAMES ? names.slice(0, MAX_UNREAD_NAMES - 1) : names;
      const more =
        names.length === listed.length
          ? []
          : [`and ${(names.length - listed.length).toLocaleString('en')} more`];
      return [{ kind: first.kind, names: [...listed, ...more], reason: first.reason }];
    })
    .slice(0, MAX_UNREAD);
}

/** Cuts the names to their greatest length, after they were checked for credentials. */
export function cutNames(unread: readonly Unread[]): Unread[] {
  const cut = (name: Name) => (typeof name === 'number' ? name : oneLine(name.slice(0, MAX_UNREAD_NAME)));
  return unread.map((entry) => ({ ...entry, names: entry.names.map(cut) }));
}
