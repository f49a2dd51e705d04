import { PERMISSION_NAMES, type Permission } from '../../../shared/permissions.ts';
import { readTable } from '../../support/tables.ts';

/** An agent token that asks. All are for the Team `t`. */
export interface AgentTies {
  /** The caller whose role and grants its owner has. */
  owner: 'Team Owner' | 'granted';
  /** The column of a person who gets the same on every route that the token permits. */
  like: 'Team Owner' | 'member';
  permissions: readonly Permission[];
  /** Limited to the Team layer, without any client. */
  layerOnly?: true;
  expired?: true;
}

/** The agent tokens among the callers. */
export const AGENTS = {
  agent: { owner: 'Team Owner', like: 'Team Owner', permissions: PERMISSION_NAMES },
  'layer agent': { owner: 'granted', like: 'member', permissions: PERMISSION_NAMES, layerOnly: true },
  'reading agent': { owner: 'Team Owner', like: 'Team Owner', permissions: ['memory:read'] },
  'writing agent': {
    owner: 'Team Owner',
    like: 'Team Owner',
    permissions: ['memory:read', 'memory:write'],
  },
  'late agent': { owner: 'Team Owner', like: 'Team Owner', permissions: PERMISSION_NAMES, expired: true },
} as const satisfies Record<string, AgentTies>;
export type AgentName = keyof typeof AGENTS;
export const AGENT_NAMES = Object.keys(AGENTS) as AgentName[];

/** Every route that an agent token can use, by hand. It needs one of the named permissions. Other routes refuse it. */
const ROUTES = readTable(`
  route                                  | permission
  GET /v1/auth/session                   | any
  GET /v1/team                           | any
  GET /v1/team/clients                   | any
  GET /v1/team/activity                  | audit:read
  GET /v1/team/members                   | any
  GET /v1/team/grants                    | any
  POST /v1/memory/search                 | memory:read
  POST /v1/memory/expand                 | memory:read
  POST /v1/memory/feedback               | memory:read
  GET /v1/memory/sources                 | memory:read
  GET /v1/memory/sources/:id             | memory:read
  GET /v1/memory/sources/:id/original    | memory:read
  GET /v1/memory/sources/:id/versions    | memory:read
  GET /v1/memory/imports                 | memory:read
  GET /v1/memory/imports/:id             | memory:read
  GET /v1/memory/tags                    | memory:read
  GET /v1/memory/status                  | memory:read
  POST /v1/memory/ingest                 | memory:write
  POST /v1/memory/captures               | memory:write memory:curate
  GET /v1/memory/captures                | memory:write memory:curate
  GET /v1/memory/captures/:id            | memory:write memory:curate
  POST /v1/memory/imports                | memory:write
  POST /v1/memory/imports/retry          | memory:write
  POST /v1/memory/imports/:id/retry      | memory:write
  DELETE /v1/memory/imports/:id          | memory:write
  PATCH /v1/memory/sources/:id           | memory:write
  DELETE /v1/memory/sources/:id          | memory:write
  POST /v1/memory/sources/:id/restore    | memory:write
  POST /v1/memory/sources/:id/versions/:version/restore | memory:write
  POST /v1/memory/sources/archive        | memory:review
  POST /v1/memory/sources/batch          | memory:write
  POST /v1/memory/sources/:id/purge      | memory:review
  POST /v1/memory/memories/:id/purge     | memory:review
  POST /v1/memory/consolidation/claim    | memory:curate
  POST /v1/memory/consolidation/complete | memory:curate
  GET /v1/memory/consolidation/batches   | memory:curate
  POST /v1/memory/consolidation/release  | memory:curate
  POST /v1/memory/embeddings/claim       | memory:curate
  POST /v1/memory/embeddings/complete    | memory:curate
  GET /v1/memory/memories                | memory:review
  POST /v1/memory/memories               | memory:review
  GET /v1/memory/memories/:id            | memory:review
  GET /v1/memory/memories/:id/versions   | memory:review
  GET /v1/workspace/manifest             | workspace:read
  POST /v1/workspace/pull                | workspace:read
  GET /v1/workspace/versions             | workspace:read
  POST /v1/workspace/push                | workspace:write
  GET /v1/memory/audit                   | audit:read
  POST /v1/mcp                           | any
`);

/** The routes of the table. */
export const AGENT_ROUTES = ROUTES.map(({ route }) => route ?? '');

/** What needs memory:review too, if somebody else made the record. */
const OF_OTHERS = [
  'PATCH /v1/memory/sources/:id',
  'DELETE /v1/memory/sources/:id',
  'POST /v1/memory/sources/:id/restore',
  'POST /v1/memory/sources/:id/versions/:version/restore',
  'DELETE /v1/memory/imports/:id',
];

/**
 * What the token adds to the access of its owner on a route for signed-in callers: a refusal, or null if it permits the
 * route.
 */
export function refusalOf(name: AgentName, { route, kind }: { route: string; kind: string }): string | null {
  const { permissions, expired }: AgentTies = AGENTS[name];
  if (expired) return '401 agent_token_expired';
  const required = ROUTES.find((row) => row['route'] === route)?.['permission'];
  if (required === undefined) return '403 forbidden';
  const enough = ['any', ...permissions];
  if (!required.split(' ').some((one) => enough.includes(one))) return '403 permission_required';
  const isOfOthers = OF_OTHERS.includes(route) && kind.endsWith("someone else's record");
  return isOfOthers && !permissions.includes('memory:review') ? '403 forbidden' : null;
}
