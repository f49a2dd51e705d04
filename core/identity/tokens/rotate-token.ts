import { endTokenSecrets } from '../../../db/queries/identity/agent-tokens.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { IssuedToken } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { lockCaller } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { issueSecret } from './issue-secret.ts';
import { requireToken } from './require-token.ts';

/**
 * Gives an agent token of the caller a new secret. Its record keeps its id and its expiry.
 * @param overlapHours how long earlier secrets can still be used. 0: they end now
 * @throws ServiceError `unauthenticated`, `not_found`, `conflict` if the token is not active
 */
export function rotateToken(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<IssuedToken> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCaller(tx, 'share');
      return requireToken(tx, { id, userId: scope.userId });
    },
    apply: async (tx, token) => {
      if (token.state !== 'active') throw new ServiceError('conflict', `The agent token is ${token.state}`);
      await endTokenSecrets(tx, token, overlapHours);
      const { teamId } = token;
      return {
        result: await issueSecret(tx, token),
        audit: [
          {
            kind: 'auth.token_rotate',
            subjectType: 'agent_token',
            subjectId: id,
            teamId,
            detail: { overlapHours },
          },
        ],
      };
    },
  });
}
