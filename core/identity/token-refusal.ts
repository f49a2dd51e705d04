import { type ErrorCode, ServiceError } from '../../shared/errors.ts';

/** How a one-time token stands. */
export type TokenState = 'open' | 'used' | 'revoked' | 'expired';

const CODES: Readonly<Record<TokenState, ErrorCode>> = {
  used: 'token_used',
  expired: 'token_expired',
  revoked: 'token_revoked',
  // Not to be used, and yet open a moment later: nothing was done, so trying again is right.
  open: 'unavailable',
};

/** Why a one-time token does nothing: null for one that is not known. */
export function tokenRefusal(state: TokenState | null): ServiceError {
  return new ServiceError(state === null ? 'not_found' : CODES[state]);
}
