/** A credential in a text, with offsets in UTF-16 code units. */
export interface Match {
  /** Stable name of the rule that found it, in lower case with hyphens. */
  rule: string;
  start: number;
  end: number;
}

/** Finds credentials in a text. Matches can overlap. */
export type Rule = (text: string) => Iterable<Match>;

/**
 * A rule whose expression matches the credential. If it has a group `value`, only the group is the credential.
 * @param pattern global, and with `d` if it has the group
 * @param isCredential decides about what the expression has found
 */
export function patternRule(
  rule: string,
  pattern: RegExp,
  isCredential: (value: string) => boolean = () => true,
): Rule {
  return function* (text) {
    for (const found of text.matchAll(pattern)) {
      const [start, end] = found.indices?.groups?.value ?? [found.index, found.index + found[0].length];
      if (isCredential(text.slice(start, end))) yield { rule, start, end };
    }
  };
}

/** Information in a text by the frequencies of its characters, in bits (Shannon). */
export function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / total);
  return bits;
}

const TEMPLATE =
  /\$\{|\{\{|<[^>]|%[A-Z_]+%|^\$|^\{|\*{3}|\.{3}|…|x{4}|your[-_]|example|placeholder|redacted/i;

/** Whether a text has at least three different characters. Mostly the first few tell. */
function hasThreeCharacters(text: string): boolean {
  const seen = new Set<string>();
  for (const character of text) {
    if (seen.add(character).size === 3) return true;
  }
  return false;
}

/** Whether a value stands for a credential that a reader is to fill in: `${TOKEN}`, `<token>`, `xxxx`. */
export function isPlaceholder(value: string): boolean {
  return TEMPLATE.test(value) || !hasThreeCharacters(value);
}
