import { ServiceError } from '../../shared/errors.ts';

/** The refusal of a caller whose account was closed while the request waited. */
export function accountClosed(): ServiceError {
  return new ServiceError(
    'unauthenticated',
    'The account has been closed, and its sessions and agent tokens are revoked; ask an Owner of the Company',
  );
}
