import { isHarmless, isUuid } from './harmless-values.ts';
import { entropyBits, isPlaceholder, type Match, type Rule } from './match.ts';

/*
 * A value that a name calls secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `the password is …`. Only the value is the
 * credential. The expressions search for the sign between name and value, and then look back for the name: this is many
 * times faster than to search for twenty names. `valueAt` reads the value. The expressions do not contain it, because
 * the next name can begin within a value that is no credential.
 */
const BETWEEN: readonly RegExp[] = [
  /(?<=(?:(?<password>pass(?:word|wd|phrase|code)|(?<![a-z])pass|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|密码|密碼|パスワード|비밀번호)|secret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?|(?<!(?:next|page|continuation|sync)[_-]?)token|credentials?|(?:api|access|auth|account|private|encryption|signing|master)[ _-]?key)(?:[_-]?\d{1,2})?[\\"'`\])*_]{0,4}\s{0,3})(?:=>|:=|=(?!=)|={2,3}(?=\s?["'`])|[:：>|は은])\s{0,3}/gi,
  /\s(?:is|was|ist|lautet|est|es|è|é|это)[\s:](?<=(?i:(?<password>pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль)|secret|token|key)["'*_`]{0,2}\s{1,2}(?:is|was|ist|lautet|est|es|è|é|это)[\s:])\s{0,3}/g,
  /--(?:[a-z]{1,12}-){0,2}(?:(?<password>pass(?:word|wd|phrase|code))|secret|token|key)\s{1,3}/g,
];

/** Up to the same quotation mark. Marks that are escaped, as in JSON in JSON, end at one that is escaped too. */
const QUOTED: readonly RegExp[] = [
  /(?<mark>["'`])(?<value>(?:(?!\k<mark>)[^\\\r\n\0]|\\[^\r\n\0]){1,4096})\k<mark>/dy,
  /\\(?<mark>["'])(?<value>(?:(?!\k<mark>)[^\\\r\n\0]|\\\\(?:\\[^\r\n\0]|(?!\k<mark>)[^\\\r\n\0])){1,4096})\\{0,2}\k<mark>/dy,
  /[“«](?<value>[^“”«»\r\n\0]{1,4096})[”»]/dy,
];
const MARKS: ReadonlySet<string> = new Set(['"', "'", '`', '“', '«']);
/** Ends at what separates values in settings, addresses and tables, and at writing without spaces. */
const BARE =
  /(?:[^\s"'`<>,;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|&(?!\w{1,30}=)){1,500}/y;
/** What follows a credential up to white space can be the rest of it, unless it is the next name. */
const REST =
  /(?:(?:[,;|&](?!["']?\w{1,30}["']?\s?[=:])|'(?=\w))[^\s"'`<>,;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{0,200}){0,20}/y;
const TRAILING = /[.,;:!?)\]}*_|&']+$/;

/** A call, an index, or a chain of names: an expression of a programming language. */
const CODE = /^[\w$]+(?:\??\.[\w$]+)*[([]|^(?!\d)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;

/** `hunter2` has 20 bits. */
const MIN_PASSWORD_BITS = 18;
const MIN_TOKEN_LENGTH = 16;
const MIN_TOKEN_BITS = 45;
/** A shorter value is not a word if it has all of these. */
const MIN_MIXED_LENGTH = 8;
const MIXED: readonly RegExp[] = [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*?]/];

/** Values after names that call them secret. */
export const namedValues: Rule = function* (text) {
  for (const between of BETWEEN) {
    for (const { 0: separator, index, groups = {} } of text.matchAll(between)) {
      const rule = groups.password === undefined ? 'secret-value' : 'password';
      const value = valueAt(text, index + separator.length, rule);
      if (value !== null) yield { rule, ...value };
    }
  }
};

/** Whether a text is a name with a colon that call what follows secret. */
export const callsSecret = (text: string): boolean => BETWEEN.some((between) => text.search(between) >= 0);

type Value = Omit<Match, 'rule'>;

function valueAt(text: string, from: number, rule: string): Value | null {
  for (const quoted of QUOTED) {
    quoted.lastIndex = from;
    const [start, end] = quoted.exec(text)?.indices?.groups?.value ?? [];
    if (start === undefined || end === undefined) continue;
    return isQuotedCredential(text.slice(start, end), rule) ? { start, end } : null;
  }
  // The second mark of a quoted text can be missing.
  const start = MARKS.has(text[from] ?? '') ? from + 1 : from;
  const bare = matchAt(BARE, text, start);
  const value = bare.replace(TRAILING, '');
  if (CODE.test(value) || !isCredential(value, rule)) return null;
  const whole = (bare + matchAt(REST, text, start + bare.length)).replace(TRAILING, '');
  return { start, end: start + Math.max(whole.length, value.length) };
}

function matchAt(expression: RegExp, text: string, from: number): string {
  expression.lastIndex = from;
  return expression.exec(text)?.[0] ?? '';
}

/** Whether a text in quotation marks is a credential. One of several words is, if one of them is by itself. */
function isQuotedCredential(value: string, rule: string): boolean {
  if (!/\s/.test(value)) return isCredential(value, rule);
  if (isPlaceholder(value)) return false;
  return value.split(/\s+/).some((word) => isCredential(word.replace(TRAILING, ''), rule));
}

/** @param rule the kind of the name */
export function isCredential(value: string, rule: string): boolean {
  if (value === '' || isPlaceholder(value) || isHarmless(value)) return false;
  const hasLetter = /\p{L}/u.test(value);
  const hasDigit = /\d/.test(value);
  // Last, because it reads the whole value.
  const hasBits = (least: number) => entropyBits(value) >= least;
  if (rule === 'secret-value') {
    if (isUuid(value)) return false;
    if (value.length >= MIN_MIXED_LENGTH && MIXED.every((kind) => kind.test(value))) return true;
    return hasLetter && hasDigit && value.length >= MIN_TOKEN_LENGTH && hasBits(MIN_TOKEN_BITS);
  }
  const hasSymbol = /[!@#$%^&+=~?*]/.test(value);
  return (hasLetter ? hasDigit || hasSymbol : isLongNumber(value)) && hasBits(MIN_PASSWORD_BITS);
}

const isLongNumber = (value: string) => /^\d{8,}$/.test(value);
