import type { Match, Rule } from './match.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
/** A key of 16,384 bits has 12,800 characters. */
const MAX_LENGTH = 16 * 1024;
/** The key without its last line: it can be cut off. Line breaks can be escaped, as in JSON. */
const BODY = /^(?:[A-Za-z0-9+/=\s:,.()-]|\\[nrt])*/;
/** An ed25519 key has 64. Shorter ones are examples, such as `MIIE...`. */
const MIN_CHARACTERS = 40;
const KEY_CHARACTERS = /[A-Za-z0-9+/]/g;
const ESCAPES = /\\[nrt]/g;

/** Any private key in PEM: PKCS#1, PKCS#8, SEC1, OpenSSH, PGP, encrypted or not, also without its last line. */
export const privateKeys: Rule = function* (text) {
  let covered = 0;
  for (const { 0: begin, index } of text.matchAll(BEGIN)) {
    if (index < covered) continue;
    const match = keyAt(text, index, index + begin.length);
    if (match === null) continue;
    covered = match.end;
    yield match;
  }
};

function keyAt(text: string, start: number, bodyStart: number): Match | null {
  const rest = text.slice(bodyStart, bodyStart + MAX_LENGTH);
  const end = END.exec(rest);
  const [body = ''] = BODY.exec(end === null ? rest : rest.slice(0, end.index)) ?? [];
  const characters = body.replace(ESCAPES, '').match(KEY_CHARACTERS)?.length ?? 0;
  if (characters < MIN_CHARACTERS) return null;
  const isWhole = end !== null && body.length === end.index;
  const length = isWhole ? end.index + end[0].length : body.trimEnd().length;
  return { rule: 'private-key', start, end: bodyStart + length };
}
