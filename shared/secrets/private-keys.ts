import type { Match, Rule } from './match.ts';
import { atEach, execAt, type Place } from './pieces.ts';

/** They search for the word and then look back at the dashes: a text can have many dashes. */
const BEGIN = /BEGIN (?<=-----BEGIN )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /END (?<=-----END )[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
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
  const end = END.exec(own);
  // If both lines are there, all between them is the key, in whatever way its lines are written.
  const body = end === null ? (BODY.exec(own)?.[0] ?? '') : own.slice(0, end.index - DASHES);
  const characters = body.replace(NOT_OF_KEY, '');
  const isLong = characters.length >= MIN_CHARACTERS && (end === null || /\d/.test(characters));
  const isKey = isLong || (end !== null && RUN.test(body));
  const length = end === null ? body.trimEnd().length : end.index + end[0].length;
  const match: Match = { rule: 'private-key', start, end: bodyStart + length };
  return { match: isKey ? match : null, next: bodyStart, read: MAX_LENGTH };
}
