import type { Routes } from '../../types.ts';
import { accessRequestDecisionRoutes } from './access-request-decisions.ts';
import { accessRequestsRoutes } from './access-requests.ts';
import { companyAuditRoutes } from './audit.ts';
import { ownCompanyRoutes } from './company.ts';
import { companyGrantsRoutes } from './grants.ts';
import { invitationsRoutes } from './invitations.ts';
import { companyMemberRoutes } from './member.ts';
import { companyMembersRoute } from './members.ts';
import { resetLinksRoutes } from './reset-links.ts';
import { companyTeamRoutes } from './team.ts';
import { teamLifecycleRoutes } from './team-lifecycle.ts';
import { companyTeamsRoutes } from './teams.ts';
import { companyTokensRoutes } from './tokens.ts';

/** /v1/company for signed-in Admins and Owners of the Company. Accepting an invitation needs no session: see accept.ts. */
export const companyRoutes: readonly Routes[] = [
  ownCompanyRoutes,
  companyMembersRoute,
  companyMemberRoutes,
  resetLinksRoutes,
  invitationsRoutes,
  companyTeamsRoutes,
  companyTeamRoutes,
  teamLifecycleRoutes,
  accessRequestsRoutes,
  accessRequestDecisionRoutes,
  companyGrantsRoutes,
  companyAuditRoutes,
  companyTokensRoutes,
];
