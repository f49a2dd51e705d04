import { isHarmless, isUuid } from './harmless-values.ts';
import { type Has, hasEntropy, isPlaceholder } from './match.ts';

/** `hunter2` has 20 bits. */
const MIN_PASSWORD_BITS = 18;
const MIN_TOKEN_LENGTH = 16;
const MIN_TOKEN_BITS = 45;
/** A shorter value is not a word if it has all of these. */
const MIN_MIXED_LENGTH = 8;
const LETTER = /\p{L}/u;
const DIGIT = /\d/;
const SYMBOL = /[!@#$%^&+=~?*]/;
const MIXED: readonly RegExp[] = [/[a-z]/, /[A-Z]/, DIGIT, /[!@#$%^&*?]/];
const LONG_NUMBER = /^\d{8,}$/;

/** What a name calls a value: a password, which a person can have chosen, or another secret, which is random. */
export type SecretKind = 'password' | 'secret-value';

/**
 * Whether a value that its name calls secret is a credential.
 * @param has whether an expression matches somewhere in the value
 */
export function isCredential(
  value: string,
  kind: SecretKind,
  has: Has = (expression) => expression.test(value),
): boolean {
  if (value === '' || isPlaceholder(value, has) || isHarmless(value)) return false;
  // Last, because it reads the value.
  if (kind === 'password') {
    const isChosen = has(LETTER) ? has(DIGIT) || has(SYMBOL) : LONG_NUMBER.test(value);
    return isChosen && hasEntropy(value, MIN_PASSWORD_BITS);
  }
  if (isUuid(value)) return false;
  if (value.length >= MIN_MIXED_LENGTH && MIXED.every(has)) return true;
  const isRandom = value.length >= MIN_TOKEN_LENGTH && has(LETTER) && has(DIGIT);
  return isRandom && hasEntropy(value, MIN_TOKEN_BITS);
}

/** Punctuation that can follow a value. */
const TRAILING: ReadonlySet<string> = new Set(".,;:!?)]}*_|&'");

/** The end of a value without the punctuation after it. */
export function endOfValue(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && TRAILING.has(text[trimmed - 1] ?? '')) trimmed -= 1;
  return trimmed;
}

/** Whether a text in quotation marks is a credential. One of several words is, if one of them is by itself. */
export function isQuotedCredential(value: string, kind: SecretKind): boolean {
  if (!/\s/.test(value)) return isCredential(value, kind);
  if (isPlaceholder(value)) return false;
  return value
    .split(/\s+/)
    .some((word) => isCredential(word.slice(0, endOfValue(word, 0, word.length)), kind));
}
