import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';

/** The state of a one-time token. */
export type TokenState = 'open' | 'used' | 'revoked' | 'expired';

const CODES: Readonly<Record<TokenState, ErrorCode>> = {
  used: 'token_used',
  expired: 'token_expired',
  revoked: 'token_revoked',
  // It could not be used, and was open again a moment later. Nothing was done, so the program should try again.
  open: 'unavailable',
};

/** Returns the refusal of a one-time token that cannot be used; `state` is null for an unknown token. */
export function tokenRefusal(state: TokenState | null): ServiceError {
  return new ServiceError(state === null ? 'not_found' : CODES[state]);
}
