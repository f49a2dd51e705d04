import { CommandError } from '../terminal/command-error.ts';

/**
 * Parses the value of an option that is a whole number; undefined if the option was not given.
 * @param option its name, without the hyphens
 * @throws CommandError that names the option and the range
 */
export function parseWhole(
  option: string,
  given: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (given === undefined) return undefined;
  // Number('') is 0.
  const n = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isInteger(n) && n >= min && n <= max) return n;
  throw new CommandError(`--${option}: expected a whole number from ${min} to ${max}`);
}
