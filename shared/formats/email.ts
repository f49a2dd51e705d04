import { invalidField } from '../errors.ts';

/** The one form of an email in which it is stored and compared: trimmed, and without regard to case. */
export function canonicalEmail(email: string): string {
  // Again at the end: some letters come apart when they are made small.
  return email.trim().normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * `<local>@<host>`, deliberately loose: the true test of an address is that its owner reads it. Nothing invisible:
 * two that look alike would be two.
 */
export function isEmail(value: string): boolean {
  return value.length <= 300 && /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(value);
}

/**
 * Reads the email of someone who may have no account yet.
 * @throws ServiceError `invalid_request` for what is no address
 */
export function readEmail(value: string, path = '/email'): string {
  const email = canonicalEmail(value);
  if (!isEmail(email)) throw invalidField(path, 'is not an email address');
  return email;
}
