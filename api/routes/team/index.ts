import type { Routes } from '../../types.ts';
import { clientRoutes } from './client.ts';
import { clientsRoutes } from './clients.ts';
import { grantsRoutes } from './grants.ts';
import { inviteRoutes } from './invite.ts';
import { invitesRoutes } from './invites.ts';
import { memberRoutes } from './member.ts';
import { teamMembersRoutes } from './members.ts';
import { selectedTeamRoutes } from './team.ts';
import { teamTokensRoutes } from './tokens.ts';

/** /v1/team: the selected Team, its clients, members, invites, grants and agent tokens. */
export const teamRoutes: readonly Routes[] = [
  selectedTeamRoutes,
  clientsRoutes,
  clientRoutes,
  teamMembersRoutes,
  memberRoutes,
  invitesRoutes,
  inviteRoutes,
  grantsRoutes,
  teamTokensRoutes,
];
