import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret token: 256 random bits in base64url (43 characters). Shown once, never stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The SHA-256 (32 bytes) under which a token is stored and looked up. A plain hash is enough: with 256
 * random bits there is nothing to guess, so no salt and no slow hash are wanted.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Whether two secrets are equal, in a time that tells nothing of where they differ. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b));
}
