import { Ahead, AROUND, atEach, execAt, type Place, patternRule } from './pieces.ts';
import { type Has, hasEntropy, isPlaceholder, type Match, type Range, type Rule } from './ranges.ts';

/*
 * Values that only look like a credential.
 */

/** Numbers of versions, dates, times and amounts. */
const NUMBERS =
  /^(?:[~^<>=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-.+][\w.+-]+)?|\d{4}-\d\d-\d\d|\d+(?:st|nd|rd|th|px|ms|min|days?)|(?:min|max)[-_]?\d{1,4}[-_]?(?:chars?|characters|letters|digits)?|0x[\da-f]{1,40})$|^\d{4}-\d\d-\d\d[T ]/i;
/** Paths, addresses, digests, colours. */
const PLACES = /^(?:(?:~|\.{0,2})\/|[a-z][a-z0-9+.-]*:\/\/|arn:|sha\d+-|#[\da-f]+$|@)/i;
/** The secret key of AWS is base64 of this length. One of 64 begins like a path. */
const AWS_SECRET = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z\d+/]{40}$/;
/** Names of algorithms, types and products. */
const NAMES =
  /^(?:(?:sha|aes|md|rsa|hs|rs|es|utf|iso|ed|x)[-_]?\d{1,9}(?:[-_]\w+)?|(?:argon2(?:id?)?|pbkdf2|hmac)(?:[-_](?:hmac|sha|md|aes)?\d{0,4}){0,3}|base\d\d(?:url)?|oauth2?|1password|u?int\d\w*|float\d\w*)$/i;
/** The name of a thing: `kubernetes-secret-name-v2`, `team/app/db-key`. At least three words, in lower case. */
const WORDS = /^[a-z]{2,30}(?:[-/_.](?:[a-z]{2,30}|v?\d{1,4})){2,12}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a value is known to be no credential, whatever its name is. */
function isHarmless(value: string): boolean {
  const isPlace = PLACES.test(value) && !AWS_SECRET.test(value);
  return isPlace || NUMBERS.test(value) || NAMES.test(value) || WORDS.test(value);
}

/** Whether a value is an id. Few choose one as a password on purpose, but then its name says so. */
const isUuid = (value: string) => UUID.test(value);

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
type SecretKind = 'password' | 'secret-value';

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
function endOfValue(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && TRAILING.has(text[trimmed - 1] ?? '')) trimmed -= 1;
  return trimmed;
}

/** Whether a text in quotation marks is a credential. One of several words is, if one of them is by itself. */
function isQuotedCredential(value: string, kind: SecretKind): boolean {
  if (!/\s/.test(value)) return isCredential(value, kind);
  if (isPlaceholder(value)) return false;
  return value
    .split(/\s+/)
    .some((word) => isCredential(word.slice(0, endOfValue(word, 0, word.length)), kind));
}

/*
 * A value that a name calls secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `the password is …`. Only the value is the
 * credential. The expressions search for the sign between name and value, and then look back for the name: this is many
 * times faster than to search for twenty names. `Values` reads the value. The expressions do not contain it, because
 * the next name can begin within a value that is no credential. What such values have in common is read once.
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
/**
 * What separates values in settings, addresses and tables, and writing without spaces. The last alternative is the next name
 * in an address.
 */
const END = /[\s"'`<>,;|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|&(?=\w{1,30}=)/;
const MAX_BARE = 500;
/** What follows a credential up to white space can be the rest of it, unless it is the next name. */
const REST =
  /(?:(?:[,;|&](?!["']?\w{1,30}["']?\s?[=:])|'(?=\w))[^\s"'`<>,;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{0,200}){0,20}/y;

/** A call, an index, or a chain of names: an expression of a programming language. */
const CODE = /^[\w$]+(?:\??\.[\w$]+)*[([]|^(?!\d)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;

/** The expressions look back, so they read a character up to 16 times. */
const PIECE = 4 * 1024;

/** The most that is read of a value in quotation marks, and of another. */
const QUOTED_READ = 32 * 1024;
const BARE_READ = 2 * 1024;

/** Values after names that call them secret. */
export const namedValues: Rule = {
  name: 'named-values',
  *find(text, range) {
    for (const between of BETWEEN) {
      const values = new Values(text);
      yield* atEach(
        text,
        range,
        between,
        (index, { 0: separator, groups }) =>
          values.at(index + separator.length, groups?.password === undefined ? 'secret-value' : 'password'),
        PIECE,
      );
    }
  },
};

/** Whether a text that ends with a name and a colon calls what follows secret. */
export const callsSecret = (text: string): boolean =>
  BETWEEN.some((between) => text.slice(-AROUND).search(between) >= 0);

/** The values of a text, which are asked for from left to right. */
class Values {
  readonly #text: string;
  readonly #ahead: Ahead;
  /** The last end of a value without quotation marks. Those that begin in it can have the same. */
  #lastEnd = { whole: 0, trimmed: 0 };

  constructor(text: string) {
    this.#text = text;
    this.#ahead = new Ahead(text);
  }

  /** The value from a place on, if it is a credential. A name within a credential is not looked at. */
  at(from: number, rule: SecretKind): Place {
    const first = this.#text[from] ?? '';
    const found = this.#quoted(from);
    // The second mark of a quoted text can be missing.
    const value = found ?? this.#bare(MARKS.has(first) ? from + 1 : from, rule);
    const isFound = value !== null && (found === null || isQuotedCredential(this.#slice(value), rule));
    return {
      match: isFound ? { rule, ...value } : null,
      next: isFound ? value.end : from,
      read: MARKS.has(first) || first === '\\' ? QUOTED_READ : BARE_READ,
    };
  }

  #slice({ start, end }: Range): string {
    return this.#text.slice(start, end);
  }

  #quoted(from: number): Range | null {
    for (const quoted of QUOTED) {
      const [start, end] = execAt(quoted, this.#text, from)?.indices?.groups?.value ?? [];
      if (start !== undefined && end !== undefined) return { start, end };
    }
    return null;
  }

  /** A value without quotation marks, or without the second one. */
  #bare(start: number, kind: SecretKind): Range | null {
    const limit = Math.min(start + MAX_BARE, this.#text.length);
    const end = this.#ahead.first(END, { start, end: limit })?.start ?? limit;
    const range = { start, end: this.#trimmed(start, end) };
    const value = this.#slice(range);
    if (CODE.test(value)) return null;
    if (!isCredential(value, kind, (expression) => this.#ahead.has(expression, range))) return null;
    const [rest = ''] = execAt(REST, this.#text, end) ?? [];
    return { start, end: Math.max(range.end, endOfValue(this.#text, start, end + rest.length)) };
  }

  #trimmed(start: number, end: number): number {
    if (this.#lastEnd.whole !== end) {
      this.#lastEnd = { whole: end, trimmed: endOfValue(this.#text, start, end) };
    }
    return Math.max(start, this.#lastEnd.trimmed);
  }
}

/** They search for the word and then look back at the dashes: a text can have many dashes. */
const BEGIN = /BEGIN (?<=-----BEGIN )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /END (?<=-----END )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const DASHES = '-----'.length;
/** A key of 16,384 bits has 12,800 characters. */
const MAX_LENGTH = 16 * 1024;
/** The key without its last line: it can be cut off. Lines can be escaped, quoted, or in a table or a comment. */
const BODY = /^(?:[A-Za-z0-9+/=\s:,.()>|*#-]|<br ?\/?>|\\[nrt])*/;
/** Between two texts that are searched together. */
const SEPARATOR = '\0';
/** An ed25519 key has 64. Shorter ones are examples, such as `MIIE...`, unless both lines and a run of characters are there. */
const MIN_CHARACTERS = 40;
const RUN = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16}/;
const NOT_OF_KEY = /\\[nrt]|<br ?\/?>|[^A-Za-z0-9+/]/g;

/** Any private key in PEM: PKCS#1, PKCS#8, SEC1, OpenSSH, PGP, encrypted or not, also without its last line. */
export const privateKeys: Rule = {
  name: 'private-key',
  find: (text, range) =>
    atEach(text, range, BEGIN, (index, { 0: begin }) => keyAt(text, index - DASHES, index + begin.length)),
};

/** @param bodyStart after the first line */
function keyAt(text: string, start: number, bodyStart: number): Place {
  const [rest = ''] = text.slice(bodyStart, bodyStart + MAX_LENGTH).split(SEPARATOR, 1);
  const next = execAt(BEGIN, rest, 0);
  const own = next === null ? rest : rest.slice(0, next.index - DASHES);
  const end = KEY_END.exec(own);
  // If both lines are there, all between them is the key, in whatever way its lines are written.
  const body = end === null ? (BODY.exec(own)?.[0] ?? '') : own.slice(0, end.index - DASHES);
  const characters = body.replace(NOT_OF_KEY, '');
  const isLong = characters.length >= MIN_CHARACTERS && (end === null || /\d/.test(characters));
  const isKey = isLong || (end !== null && RUN.test(body));
  const length = end === null ? body.trimEnd().length : end.index + end[0].length;
  const match: Match = { rule: 'private-key', start, end: bodyStart + length };
  return { match: isKey ? match : null, next: bodyStart, read: MAX_LENGTH };
}

/** In an example, the password is the name of the user or one of these words. */
const EXAMPLE =
  /^(?:pass(?:word|wd)?|pwd|secret|token|my-?password|changeme|test|user|root|admin|x-oauth-basic)$/i;

const isPassword = (value: string) => value.length >= 4 && !isPlaceholder(value) && !EXAMPLE.test(value);

const rule = patternRule(
  'url-password',
  /:\/\//g,
  /:\/\/[^\s:/@"'<>`]{0,100}:(?<value>[^\s/"'<>`]{1,256})@[^\s/"'<>`@]/dy,
  isPassword,
);

/** The password of a user in an address, of any scheme: `postgres://user:password@host`. */
export const urlPasswords: Rule = {
  ...rule,
  *find(text, range) {
    for (const match of rule.find(text, range)) {
      if (match === undefined || !isUser(text, match)) yield match;
    }
  },
};

/** Whether a password is the name of its user. */
function isUser(text: string, { start, end }: { start: number; end: number }): boolean {
  const user = text.slice(text.lastIndexOf('/', start) + 1, start - 1);
  return user === text.slice(start, end);
}
