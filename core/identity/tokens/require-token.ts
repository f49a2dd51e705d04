import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { lockToken, type TokenFilter } from '../../../db/queries/identity/agent-tokens.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Token } from '../../../shared/schemas/identity.ts';

/**
 * Locks an agent token for a change, and returns its current state.
 * @throws ServiceError `not_found` if it does not exist, or is not in the scope
 */
export async function requireToken(
  tx: ScopedTransaction,
  filter: TokenFilter & { id: string },
): Promise<Token> {
  const token = await lockToken(tx, filter);
  if (token === null) throw new ServiceError('not_found');
  return token;
}
