import { entropyBits, isPlaceholder, type Match, type Rule } from './match.ts';

/*
 * A value that a name calls secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `the password is …`. Only the value is the
 * credential. The expressions find what is between name and value, and look back for the name, because that is many times
 * faster than to look for twenty names. What follows is read by `valueAt`, because a value that is no credential must not
 * hide the next name.
 */
const BETWEEN: readonly RegExp[] = [
  /(?<=(?:(?<password>pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|密码|密碼|パスワード|비밀번호)|secret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?|token|credentials?|(?:api|access|auth|account|private|encryption|signing|master)[_-]?key)(?:[_-]?\d{1,2})?[\\"'`\])*_]{0,4}\s{0,3})(?:=>|:=|=(?!=)|={2,3}(?=\s?["'`])|[:：>|は은])\s{0,3}/gi,
  /\s(?:is|was|ist|lautet|est|es|è|é|это)[\s:](?<=(?i:(?<password>pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль)|secret|token|key)["'*_`]{0,2}\s{1,2}(?:is|was|ist|lautet|est|es|è|é|это)[\s:])\s{0,3}/g,
  /--(?:[a-z]{1,12}-){0,2}(?:(?<password>pass(?:word|wd|phrase|code))|secret|token|key)\s{1,3}/g,
];

const QUOTED = /(?<open>\\?["'`“«])(?<value>[^\s"'`“”«»\\]{1,500})\\?["'`”»]/y;
/** Ends at what separates values in settings, addresses and tables, and at writing without spaces. */
const BARE =
  /(?:[^\s"'`<>,;&|\\\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|&(?!\w{1,30}=)){1,500}/y;
const TRAILING = /[.,;:!?)\]}*_]+$/;

/** Values that only look like a credential: numbers of versions, dates, paths, names of algorithms and of types. */
const HARMLESS =
  /^(?:[~^<>=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-.+][\w.+-]+)?|\d{4}-\d\d-\d\d(?:[T ].*)?|(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:\/\/|arn:|sha\d+-|#[\da-f]+$|@).*|(?:sha|aes|md|rsa|hs|rs|es|utf|iso|ed|x)[-_]?\d+(?:[-_]\w+)?|argon2(?:id?)?|pbkdf2|base\d\d(?:url)?|oauth2?|u?int\d+\w*|float\d+\w*|\d+(?:st|nd|rd|th|px|ms|min|days?))$/i;
/** A call, an index, or a chain of names: an expression of a programming language. */
const CODE = /^[\w$]+(?:\??\.[\w$]+)*[([]|^(?!\d)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;

/** `hunter2` has 20 bits. */
const MIN_PASSWORD_BITS = 18;
const MIN_TOKEN_LENGTH = 16;
const MIN_TOKEN_BITS = 45;

/** Values after names that call them secret. */
export const namedValues: Rule = function* (text) {
  for (const between of BETWEEN) {
    for (const { 0: separator, index, groups = {} } of text.matchAll(between)) {
      const value = valueAt(text, index + separator.length);
      if (value === null) continue;
      const { start, end, isQuoted } = value;
      const rule = groups.password === undefined ? 'secret-value' : 'password';
      if (isCredential(text.slice(start, end), rule, isQuoted)) yield { rule, start, end };
    }
  }
};

function valueAt(text: string, from: number): (Omit<Match, 'rule'> & { isQuoted: boolean }) | null {
  QUOTED.lastIndex = from;
  const { open = '', value } = QUOTED.exec(text)?.groups ?? {};
  if (value !== undefined) {
    const start = from + open.length;
    return { start, end: start + value.length, isQuoted: true };
  }
  BARE.lastIndex = from;
  const [bare] = BARE.exec(text) ?? [];
  if (bare === undefined) return null;
  return { start: from, end: from + bare.replace(TRAILING, '').length, isQuoted: false };
}

function isCredential(value: string, rule: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value) || HARMLESS.test(value)) return false;
  if (!isQuoted && CODE.test(value)) return false;
  const hasLetter = /\p{L}/u.test(value);
  const hasDigit = /\d/.test(value);
  if (rule === 'secret-value') {
    return hasLetter && hasDigit && value.length >= MIN_TOKEN_LENGTH && entropyBits(value) >= MIN_TOKEN_BITS;
  }
  const hasSymbol = /[!@#$%^&+=~?*]/.test(value);
  return (hasLetter ? hasDigit || hasSymbol : isLongNumber(value)) && entropyBits(value) >= MIN_PASSWORD_BITS;
}

const isLongNumber = (value: string) => /^\d{8,}$/.test(value);
