import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import { selectTokens } from '../../db/queries/tokens.ts';
import type { Token } from '../../shared/schemas/tokens.ts';
import type { CompanyScope, Scope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

type Needed = Pick<Dependencies, 'database'>;

/** Lists the caller's own agent tokens in any state, newest first. */
export function listTokens({ database }: Needed, scope: CompanyScope, part: ListPart): Promise<Token[]> {
  return readList(database, scope, part, (tx) => selectTokens(tx, part, { userId: scope.userId }));
}

/**
 * Lists the agent tokens of everyone in any state, newest first: those for the Team of the scope, or those of the
 * Company. For callers with Full access, or for Company Owners.
 */
export function listTokensIn({ database }: Needed, scope: Scope, part: ListPart): Promise<Token[]> {
  return readList(database, scope, part, (tx) => selectTokens(tx, part));
}
