import { type Identity, teamAccess } from '../../../shared/access.ts';
import type { SessionInfo } from '../../../shared/schemas/identity.ts';

/** Returns a caller and the Teams that it can access, as the API shows them. */
export function sessionInfo(identity: Identity): SessionInfo {
  const { session, token } = identity;
  return {
    expiresAt: (token ?? session)?.expiresAt.toISOString() ?? null,
    user: { id: identity.userId, email: identity.email, name: identity.name },
    company: { id: identity.companyId, name: identity.companyName, role: identity.companyRole },
    teams: identity.teams.flatMap((team) => {
      const access = teamAccess(identity.companyRole, team);
      return access === null
        ? []
        : [{ id: team.id, name: team.name, state: team.state, role: team.role, access }];
    }),
    ...(token !== null && {
      permissions: [...token.permissions],
      agentToken: {
        id: token.id,
        name: token.name,
        clientIds: token.clientIds && [...token.clientIds],
      },
    }),
  };
}
