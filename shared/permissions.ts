import { ServiceError } from './errors.ts';

/*
 * What an agent token permits. The rights of its owner still apply: a token permits a route only if the owner could
 * use it too.
 */

/** Every permission of agent tokens, and what it permits. */
export const PERMISSIONS = {
  'memory:read': 'Search, expand, and read sources, imports, tags and the status.',
  'memory:write':
    'Ingest, stage and list captures, import, retry and delete imports, and change, archive and restore sources. To ' +
    'change or delete what somebody else made also requires `memory:review`.',
  'memory:curate':
    'Stage and list captures, consolidate them, list and release batches, and claim and send embeddings. To supersede a ' +
    'memory also requires `memory:review`.',
  'memory:review':
    'List memories and decide on them, if the owner has Full access; read published memories and their versions.',
  'workspace:read': 'Read the manifest and pull workspace files.',
  'workspace:write': 'Push workspace files.',
  'audit:read': 'List the audit events of the Team, if the owner has Full access.',
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSIONS;
/** The names of all permissions, in the order of their definitions. */
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

/**
 * What a route requires of an agent token: one of these permissions, or `any` token. A route without it refuses every
 * agent token.
 */
export type RoutePermission = Permission | readonly Permission[] | 'any';

/** Whether an agent token has what a route requires. */
export function hasPermission(
  token: { permissions: readonly Permission[] },
  required: RoutePermission | undefined,
): boolean {
  if (required === undefined) return false;
  return required === 'any' || [required].flat().some((permission) => token.permissions.includes(permission));
}

/**
 * Requires a permission of an agent token.
 * @param required what the route requires; undefined: no agent token can use it
 * @throws ServiceError `permission_required` that names the missing permission, `forbidden`
 */
export function requirePermission(
  token: { permissions: readonly Permission[] },
  required: RoutePermission | undefined,
): void {
  if (hasPermission(token, required)) return;
  if (required === undefined) {
    throw new ServiceError('forbidden', 'Agent tokens cannot use this route; sign in with your password');
  }
  throw new ServiceError(
    'permission_required',
    `The agent token does not have the permission ${[required].flat().join(' or ')}`,
  );
}
