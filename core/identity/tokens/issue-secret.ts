import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { insertTokenSecret, listTokens } from '../../../db/queries/identity/agent-tokens.ts';
import { newAgentToken } from '../../../shared/formats/agent-token.ts';
import type { IssuedToken, Token } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';

/**
 * Gives an agent token a new secret.
 * @returns its record, and its text, which is shown only this once
 */
export async function issueSecret(
  tx: ScopedTransaction<CompanyScope>,
  of: Pick<Token, 'id' | 'teamId'>,
): Promise<IssuedToken> {
  const { token, ...parts } = newAgentToken();
  await insertTokenSecret(tx, of, parts);
  const [record] = await listTokens(tx, ONE_ROW, { id: of.id });
  if (record === undefined) throw new Error('the agent token does not exist');
  return { record, token };
}
