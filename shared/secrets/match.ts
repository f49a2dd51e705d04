/** A range of a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** A credential in a text. */
export interface Match extends Range {
  /** Stable name of the rule that found it, in lower case with hyphens. */
  rule: string;
}

/** Finds a kind of credential. */
export interface Rule {
  name: string;
  /** Whether it finds nothing where `hasPrefix` of `token-beginnings.ts` is false. */
  isPrefixed?: boolean;
  /**
   * Finds those whose beginning, or the name in front of it, is in a range of the text. They can overlap.
   * @yields undefined where the caller can let other work run
   */
  find: (text: string, range: Range) => Generator<Match | undefined>;
}

/** Whether a text has at least so much information by the frequencies of its characters, in bits (Shannon). */
export function hasEntropy(text: string, bits: number): boolean {
  const counts = new Map<string, number>();
  let [total, sum] = [0, 0];
  // Each character adds information, so the rest of a long text is not read.
  for (const character of text) {
    const count = counts.get(character) ?? 0;
    counts.set(character, count + 1);
    total += 1;
    sum += weight(count + 1) - weight(count);
    if (weight(total) - sum >= bits) return true;
  }
  return bits <= 0;
}

const weight = (count: number) => (count === 0 ? 0 : count * Math.log2(count));

const TEMPLATE = /\$\{|\{\{|<[^>]|%[A-Z_]{1,64}%|\*{3}|\.{3}|…|x{4}|your[-_]|example|placeholder|redacted/i;

/** Whether a text has at least three different characters. Mostly the first few tell. */
function hasThreeCharacters(text: string): boolean {
  const seen = new Set<string>();
  for (const character of text) {
    if (seen.add(character).size === 3) return true;
  }
  return false;
}

/** Whether an expression matches somewhere in a value. */
export type Has = (expression: RegExp) => boolean;

/** Whether a value stands for a credential that a reader is to fill in: `${TOKEN}`, `<token>`, `xxxx`. */
export function isPlaceholder(value: string, has: Has = (expression) => expression.test(value)): boolean {
  return value.startsWith('$') || value.startsWith('{') || has(TEMPLATE) || !hasThreeCharacters(value);
}
