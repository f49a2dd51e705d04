import type { Principal } from '../../../db/startup/bootstrap.ts';
import type { Config } from '../../../shared/config.ts';
import { DEFAULT_RESET_LINK_SECONDS } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { lockOpenAccount } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { configuredLinkBase } from '../link-base.ts';
import { createResetLink, type IssuedLink } from './create-reset-link.ts';

/**
 * Creates the reset link that an embedded start-up prints, with which the server principal sets its first password.
 * @param listeningUrl where the link leads if no other address is configured
 * @throws ServiceError `not_found` if the account is closed
 */
export function createPrincipalResetLink(
  deps: Pick<Dependencies, 'database'> & { config: Pick<Config, 'identityUrl' | 'publicUrl'> },
  principal: Pick<Principal, 'userId' | 'companyId'>,
  listeningUrl: string,
): Promise<IssuedLink> {
  const { userId } = principal;
  const base = configuredLinkBase(deps.config, listeningUrl);
  return runCommand(deps.database, companyScope(principal), {
    lock: async (tx) => {
      await lockOpenAccount(tx, userId);
    },
    apply: (tx) => createResetLink(tx, { userId, base, ttlSeconds: DEFAULT_RESET_LINK_SECONDS }),
  });
}
