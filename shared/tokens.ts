import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret token: 256 random bits in base64url (43 characters). Shown once, never stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The SHA-256 (32 bytes) of a token, which is stored and looked up in its place. A plain hash is enough: 256 random
 * bits cannot be guessed, so neither a salt nor a slow hash is needed.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Whether two secrets are equal. The time it takes does not depend on where they differ. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b));
}
