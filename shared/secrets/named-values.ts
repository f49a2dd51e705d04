import { endOfValue, isCredential, isQuotedCredential, type SecretKind } from './credential-values.ts';
import type { Range, Rule } from './match.ts';
import { Ahead, AROUND, atEach, execAt, type Place } from './pieces.ts';

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
