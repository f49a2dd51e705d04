import { similarNames } from '../../shared/settings/nearest-name.ts';

/** The end of a message that asks whether one of these was meant; '' without any. */
export function didYouMean(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return '';
  const others = names.slice(0, -1).join(', ');
  return `; did you mean ${others === '' ? last : `${others} or ${last}`}?`;
}

/** The same for the known words that are similar to a mistyped one. */
export function suggest(mistyped: string, known: Iterable<string>, prefix = ''): string {
  return didYouMean(similarNames(mistyped, known).map((name) => prefix + name));
}
