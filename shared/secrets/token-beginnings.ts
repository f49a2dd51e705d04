import type { Range, Rule } from './match.ts';
import { AROUND, atEach } from './pieces.ts';

/*
 * Many rules search for a token that begins with a known prefix. Ordinary text has none of these prefixes, and one search
 * for what they end with is faster than one for each of them.
 */

/** Where one of the tokens can be: the end of its prefix, and what follows. The expressions of the rules decide. */
const PREFIX =
  /[_.-](?:(?<=ghs_)\d|(?<=(?:cf(?:k|ut|at)|dckr|figd|gh[opsur]|github_pat|gl(?:c|sa)|gsk|hf|lin|npm|ntn|ops|[rs]k|shp(?:pa|ca|at|ss)|tm|vc[aikpr]|whsec)_|(?:gl(?:pat|rt|dt|ptt|soat)|pypi|sk|tskey)-|(?:hv[sbr]|SG|ya29)\.)[\w.+/=-]{20})/g;
/** The expression reads 20 characters after each prefix, and the shortest prefixes have three. */
const PIECE = 4 * 1024;

/** Marks a rule that finds only tokens which begin with one of the prefixes. */
export const prefixed = (rule: Rule): Rule => ({ ...rule, isPrefixed: true });

/**
 * Whether a token can begin in a range of a text with one of the prefixes.
 * @yields undefined where the caller can let other work run
 */
export function* hasPrefix(text: string, { start, end }: Range): Generator<undefined, boolean> {
  const range = { start, end: Math.min(text.length, end + AROUND) };
  const evaluate = (index: number) => ({ match: { start: index, end: index + 1 }, next: index + 1, read: 0 });
  for (const found of atEach<Range>(text, range, PREFIX, evaluate, PIECE)) {
    if (found !== undefined) return true;
    yield;
  }
  return false;
}
