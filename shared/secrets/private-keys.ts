import type { Match, Rule } from './match.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
/** A key of 16,384 bits has 12,800 characters. */
const MAX_LENGTH = 16 * 1024;
/** The key without its last line: it can be cut off. Lines can be escaped, quoted, or in a table or a comment. */
const BODY = /^(?:[A-Za-z0-9+/=\s:,.()>|*#-]|<br ?\/?>|\\[nrt])*/;
/** Between two texts that are searched together. */
const SEPARATOR = '\0';
/** An ed25519 key has 64. Shorter ones are examples, such as `MIIE...`, unless both lines and a run of characters are there. */
const MIN_CHARACTERS = 40;
const RUN = /[A-Za-z0-9+/]{16}/;
const KEY_CHARACTERS = /[A-Za-z0-9+/]/g;
const NOT_OF_KEY = /\\[nrt]|<br ?\/?>/g;

/** Any private key in PEM: PKCS#1, PKCS#8, SEC1, OpenSSH, PGP, encrypted or not, also without its last line. */
export const privateKeys: Rule = function* (text) {
  let begin: RegExpExecArray | undefined;
  for (const next of text.matchAll(BEGIN)) {
    if (begin !== undefined) yield* keyAt(text, begin, next.index);
    begin = next;
  }
  if (begin !== undefined) yield* keyAt(text, begin, text.length);
};

/** @param limit where the next key begins */
function* keyAt(text: string, { 0: begin, index: start }: RegExpExecArray, limit: number): Generator<Match> {
  const bodyStart = start + begin.length;
  const [rest = ''] = text.slice(bodyStart, Math.min(limit, bodyStart + MAX_LENGTH)).split(SEPARATOR, 1);
  const end = END.exec(rest);
  // If both lines are there, all between them is the key, in whatever way its lines are written.
  const body = end === null ? (BODY.exec(rest)?.[0] ?? '') : rest.slice(0, end.index);
  const characters = body.replace(NOT_OF_KEY, '').match(KEY_CHARACTERS) ?? [];
  const isLong = characters.length >= MIN_CHARACTERS && (end === null || characters.some(isDigit));
  if (!isLong && (end === null || !RUN.test(body))) return;
  const length = end === null ? body.trimEnd().length : end.index + end[0].length;
  yield { rule: 'private-key', start, end: bodyStart + length };
}

const isDigit = (character: string) => character >= '0' && character <= '9';
