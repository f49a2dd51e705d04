import { invalidField } from '../errors.ts';

/** The form in which an email is stored and compared: trimmed, normalized and in lower case. */
export function canonicalEmail(email: string): string {
  // Normalized twice, because some letters are decomposed by the change to lower case.
  return email.trim().normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * Checks the form `<local>@<host>`. It is loose on purpose, because only a message that is read proves an address.
 * Invisible characters are refused: with them, two different emails could look the same.
 */
export function isEmail(value: string): boolean {
  return value.length <= 300 && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(value);
}

/**
 * Normalizes the email of a person who may not have an account yet.
 * @throws ServiceError `invalid_request` if it is not an email address
 */
export function parseEmail(value: string, path = '/email'): string {
  const email = canonicalEmail(value);
  if (!isEmail(email)) throw invalidField(path, 'is not an email address');
  return email;
}
