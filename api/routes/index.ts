import type { Routes } from '../types.ts';
import {
  companyAccountRoutes,
  ownAccountRoutes,
  signedOutAccountRoutes,
  signInOptionRoutes,
} from './accounts.ts';
import { companyAuditRoutes, teamAuditRoutes } from './audit.ts';
import { captureRoutes } from './captures.ts';
import { clientRoutes } from './clients.ts';
import { companyRoutes as companyOperations, operatorRoutes } from './companies.ts';
import { consolidationRoutes } from './consolidation.ts';
import { embeddingRoutes } from './embeddings.ts';
import { feedbackRoutes } from './feedback.ts';
import { healthRoutes } from './health.ts';
import { importRoutes } from './imports.ts';
import { memoryRoutes } from './memories.ts';
import { pageRoutes } from './pages.ts';
import { companyGrantRoutes, teamGrantRoutes } from './people/grants.ts';
import { companyInviteRoutes, teamInviteRoutes } from './people/invites.ts';
import { companyMemberRoutes, teamMemberRoutes } from './people/members.ts';
import { searchRoutes } from './search.ts';
import { sourceRoutes } from './sources.ts';
import { statusRoutes } from './status.ts';
import { companyTeamRoutes, teamTeamRoutes } from './teams.ts';
import { companyTokenRoutes, ownTokenRoutes, teamTokenRoutes } from './tokens.ts';
import { workspaceRoutes } from './workspace.ts';

/** Health, figures for monitoring, the pages that browsers load, and what these ask before a sign-in: for everyone. */
export const systemRoutes: readonly Routes[] = [healthRoutes, pageRoutes, signInOptionRoutes];

/** For callers without a session. Each route checks a secret of its own. */
export const signedOutRoutes: readonly Routes[] = [signedOutAccountRoutes];

/** For signed-in callers. */
export const signedInRoutes: readonly Routes[] = [ownAccountRoutes, ownTokenRoutes, operatorRoutes];

/** For Admins and Owners of the Company. */
export const companyRoutes: readonly Routes[] = [
  companyAccountRoutes,
  companyAuditRoutes,
  companyOperations,
  companyGrantRoutes,
  companyInviteRoutes,
  companyMemberRoutes,
  companyTeamRoutes,
  companyTokenRoutes,
];

/** For callers in the selected Team. */
export const teamRoutes: readonly Routes[] = [
  teamAuditRoutes,
  captureRoutes,
  clientRoutes,
  consolidationRoutes,
  embeddingRoutes,
  feedbackRoutes,
  importRoutes,
  memoryRoutes,
  teamGrantRoutes,
  teamInviteRoutes,
  teamMemberRoutes,
  searchRoutes,
  sourceRoutes,
  statusRoutes,
  teamTeamRoutes,
  teamTokenRoutes,
  workspaceRoutes,
];
