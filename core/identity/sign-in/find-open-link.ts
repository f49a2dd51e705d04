import { withoutScope } from '../../../db/driver/database.ts';
import { findLink } from '../../../db/queries/identity/links.ts';
import type { Link } from '../../../shared/schemas/identity.ts';
import { hashToken } from '../../../shared/tokens.ts';
import type { Dependencies } from '../../dependencies.ts';
import { tokenRefusal } from './token-refusal.ts';

/**
 * Returns what the one-time link of a token is for. Does not use the token.
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`
 */
export async function findOpenLink(
  { database }: Pick<Dependencies, 'database'>,
  token: string,
): Promise<Link> {
  const found = await withoutScope(database, (tx) => findLink(tx, hashToken(token)));
  if (found?.state !== 'open') throw tokenRefusal(found?.state ?? null);
  return found.link;
}
