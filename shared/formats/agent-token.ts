import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hashToken } from '../tokens.ts';

/*
 * The text of an agent token: `tm_pat_`, 12 characters by which it is looked up, `_`, a secret of 32 characters (190
 * bits), and a checksum of 6. The checksum finds typing errors without a query, and lets scanners of secrets recognize
 * a token. A double click selects the whole token, because it contains only letters, digits and underscores.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'tm_pat_';
const LOOKUP_LENGTH = 12;
const SECRET_LENGTH = 32;
/** 62^6 is more than 2^32, so a CRC-32 has at most 6 digits. */
const CHECKSUM_LENGTH = 6;

const FORMAT = /^tm_pat_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})[0-9A-Za-z]{6}$/;

/** What the service stores of the text of an agent token. */
export interface TokenParts {
  /** By which the token is looked up. It is not secret. */
  lookupId: string;
  /** SHA-256 (32 bytes) of the secret. */
  secretHash: Buffer;
}

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** The checksum of the text before it: CRC-32 (as in zlib) in base 62, padded with `0` on the left. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** A new agent token. Its text is shown once and never stored. */
export function newAgentToken(): TokenParts & { token: string } {
  const lookupId = randomText(LOOKUP_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  const text = `${PREFIX}${lookupId}_${secret}`;
  return { token: text + checksum(text), lookupId, secretHash: hashToken(secret) };
}

/** Whether a bearer token is an agent token, valid or not. */
export function isAgentToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** Parses the text of an agent token. Null if it has another format or the checksum is wrong. */
export function parseAgentToken(token: string): TokenParts | null {
  const [, lookupId, secret] = FORMAT.exec(token) ?? [];
  if (lookupId === undefined || secret === undefined) return null;
  const end = token.length - CHECKSUM_LENGTH;
  if (checksum(token.slice(0, end)) !== token.slice(end)) return null;
  return { lookupId, secretHash: hashToken(secret) };
}
