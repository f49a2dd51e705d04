import {
  hasRight,
  type Identity,
  type Layers,
  readableLayers,
  TEAM_RIGHTS,
  type TeamAccess,
  type TeamMembership,
  type TeamRight,
  teamAccess,
  writableLayers,
} from './access.ts';
import { ServiceError } from './errors.ts';
import type { Origin } from './origin.ts';
import { type Permission, requirePermission } from './permissions.ts';
import type { Quota, RedactionMode } from './settings/team-settings.ts';

declare const scopeBrand: unique symbol;

/** What a transaction can read and write in a Company: its accounts, Teams and audit. */
export interface CompanyScope {
  readonly [scopeBrand]: 'company';
  readonly companyId: string;
  /** The acting user. It becomes the `actor` of audit events and the `createdBy` of rows. */
  readonly userId: string;
  /**
   * What the acting user has changed, and what was withdrawn from the Team, is in the primary's log up to this position. Null:
   * none is known, or a job acts.
   */
  readonly lastChange: string | null;
}

/** What a transaction can read and write in one Team. The claims of row-level security are made only from it. */
export interface TeamScope {
  readonly [scopeBrand]: 'team';
  readonly companyId: string;
  readonly userId: string;
  readonly lastChange: string | null;
  readonly teamId: string;
  /** The agent token that acts, or that the job was enqueued for. Null: a person. It becomes the `createdWith` of rows. */
  readonly tokenId: string | null;
  /** The origin of a text that is written with it: `agent` for an agent token and every call of MCP, else `person`. */
  readonly origin: Origin;
  /** The clients that an agent token is limited to, archived ones too. Null: no such limit. */
  readonly tokenClients: readonly string[] | null;
  /** What an agent token permits. Null: no such limit. */
  readonly tokenPermissions: readonly Permission[] | null;
  /** The mode that the Team has set for credentials in new text. Null: none, or not known, because a job acts. */
  readonly redaction: RedactionMode | null;
  /** The quota that was set for the Team. Null: none. Undefined: not known, because a job acts. */
  readonly quota: Quota | null | undefined;
  readonly access: TeamAccess;
  readonly reads: Layers;
  readonly writes: Layers;
}

/**
 * Required for every query of tenant data. Only this module can make one, because the brand is private. The functions
 * below make it from the result of the identity query, never from values that a caller sends.
 */
export type Scope = CompanyScope | TeamScope;

function brand<S extends Scope>(fields: Omit<S, typeof scopeBrand>): S {
  return Object.freeze(fields) as S;
}

/** The scope of a signed-in caller in its Company. */
export function companyScope({
  companyId,
  userId,
  lastChange = null,
}: Pick<Identity, 'companyId' | 'userId'> & Partial<Pick<Identity, 'lastChange'>>): CompanyScope {
  return brand<CompanyScope>({ companyId, userId, lastChange });
}

/**
 * The scope of a signed-in caller in one Team, or null if the caller has no access to it.
 * @param isProgram whether a program writes, even with the credential of a person
 */
export function teamScope(
  identity: Identity,
  team: TeamMembership,
  isProgram: boolean = identity.token !== null,
): TeamScope | null {
  const access = teamAccess(identity.companyRole, team);
  if (access === null) return null;
  return brand<TeamScope>({
    companyId: identity.companyId,
    userId: identity.userId,
    lastChange: identity.lastChange,
    teamId: team.id,
    tokenId: identity.token?.id ?? null,
    origin: isProgram ? 'agent' : 'person',
    tokenClients: identity.token?.clientIds ?? null,
    tokenPermissions: identity.token?.permissions ?? null,
    redaction: team.redaction,
    quota: team.quota,
    access,
    reads: readableLayers(identity.companyRole, team, identity.clients),
    writes: writableLayers(identity.companyRole, team, identity.clients),
  });
}

/** Whether a caller sees figures of the whole Team: those with Full access, without a token that is limited to clients. */
export function readsTeamFigures(scope: Pick<TeamScope, 'access' | 'tokenClients'>): boolean {
  return hasRight(scope, 'readWorkload') && scope.tokenClients === null;
}

/** The layer that a job works on, and the user who requested it. */
export interface JobOrigin {
  companyId: string;
  teamId: string;
  layerId: LayerId;
  userId: string;
  /** The agent token with which the user requested it. */
  tokenId?: string | null;
}

/**
 * The scope of a job. The payload of a job is trusted, because only the service writes it, in the transaction that
 * checked the caller's scope.
 */
export function jobScope(origin: JobOrigin): TeamScope {
  const layers: Layers = [origin.layerId];
  return brand<TeamScope>({
    companyId: origin.companyId,
    userId: origin.userId,
    lastChange: null,
    teamId: origin.teamId,
    tokenId: origin.tokenId ?? null,
    origin: origin.tokenId == null ? 'person' : 'agent',
    tokenClients: null,
    tokenPermissions: null,
    redaction: null,
    quota: undefined,
    access: 'member',
    reads: layers,
    writes: layers,
  });
}

/** The user id of work that no user requested, such as making vectors for stored chunks. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The scope of a job that makes vectors for the chunks of one layer. */
export function layerScope(origin: Omit<JobOrigin, 'userId' | 'tokenId'>): TeamScope {
  return jobScope({ ...origin, userId: NOBODY });
}

/**
 * The scope of a job about a whole Team that reads no text of any layer, only figures such as word counts. It can write
 * audit events of the Team.
 */
export function upkeepScope({
  companyId,
  teamId,
  userId,
}: Pick<JobOrigin, 'companyId' | 'teamId' | 'userId'>): TeamScope {
  return brand<TeamScope>({
    companyId,
    teamId,
    userId,
    lastChange: null,
    tokenId: null,
    origin: 'outside',
    tokenClients: null,
    tokenPermissions: null,
    redaction: null,
    quota: undefined,
    access: 'read',
    reads: [],
    writes: [],
  });
}

/** The scope that a request names: a client of the Team, and the layers to include. */
export interface RequestedScope {
  clientId?: string;
  include?: ('team' | 'client')[];
}

/**
 * Narrows a scope to the layers that the request names, for reading and for writing. In `include`, `team` is the Team
 * layer; `client` is the client of the request or, without one, every client that the caller can read. The default of
 * `include` is both with a client, and only the Team layer without one.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read, whether or not it exists
 */
export function narrowScope(scope: TeamScope, requested: RequestedScope = {}): TeamScope {
  const { teamId } = scope;
  const clientId = requested.clientId?.toLowerCase();
  if (clientId !== undefined && !readsLayerOf(scope, clientId)) throw new ServiceError('scope_forbidden');
  const include = requested.include ?? (clientId === undefined ? ['team'] : ['team', 'client']);
  const isNamed = (id: LayerId) =>
    id === teamId
      ? include.includes('team')
      : include.includes('client') && (clientId === undefined || id === clientId);
  // Writes are narrowed too: a layer that can be written can be read, so otherwise more could be read than was named.
  return brand<TeamScope>({
    ...scope,
    reads: scope.reads.filter(isNamed),
    writes: scope.writes.filter(isNamed),
  });
}

/**
 * The layers that a scope can read and a narrower one cannot, only for reading. Null if every layer is in both.
 * @param narrowed made of `scope` by `narrowScope`
 */
export function otherLayers(scope: TeamScope, narrowed: TeamScope): TeamScope | null {
  const known = new Set(narrowed.reads);
  const reads = scope.reads.filter((id) => !known.has(id));
  return reads.length === 0 ? null : brand<TeamScope>({ ...scope, reads, writes: [] });
}

/**
 * Narrows the scope of a list to one client; without `clientId` the list shows all layers that the caller can read.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read, whether or not it exists
 */
export function narrowToClient(scope: TeamScope, clientId: string | undefined): TeamScope {
  return clientId === undefined ? scope : narrowScope(scope, { clientId, include: ['client'] });
}

/**
 * Requires a right in a Team, and of an agent token the permission for it.
 * @param caller the scope of the request, or the access that was just rechecked
 * @throws ServiceError `full_access_required`, `permission_required`
 */
export function requireRight(
  caller: Pick<TeamScope, 'access'> & Partial<Pick<TeamScope, 'tokenPermissions'>>,
  right: TeamRight,
): void {
  if (!hasRight(caller, right)) throw new ServiceError('full_access_required');
  const { permission } = TEAM_RIGHTS[right] as { permission?: Permission };
  const permissions = caller.tokenPermissions ?? null;
  if (permission !== undefined && permissions !== null) requirePermission({ permissions }, permission);
}

/** Whether a caller can decide on memories: by its access, and by the permissions of its agent token. */
export function decidesMemories(caller: Pick<TeamScope, 'access' | 'tokenId' | 'tokenPermissions'>): boolean {
  const { tokenId, tokenPermissions } = caller;
  return (
    hasRight(caller, 'decideMemories') &&
    (tokenId === null || tokenPermissions?.includes('memory:review') === true)
  );
}

/**
 * Whether the credential of a caller permits changes to records of this author. An agent token without `memory:review` can
 * change only those of its owner, so that an agent that was misled by a text destroys nothing of others. The rights of the
 * caller are checked besides. A job does not know the permissions of the token that it was enqueued for, so it has none.
 * @param author the id of the account, as in `createdBy`
 */
export function permitsChangeOf(
  { userId, tokenId, tokenPermissions }: Pick<TeamScope, 'userId' | 'tokenId' | 'tokenPermissions'>,
  author: string,
): boolean {
  return tokenId === null || userId === author || tokenPermissions?.includes('memory:review') === true;
}

/**
 * Requires that the credential of a caller permits changes to records of this author.
 * @param verb what the caller does to it, for the message
 * @param advice what the caller can do instead
 * @throws ServiceError `forbidden`
 */
export function requireChangeOf(
  scope: Parameters<typeof permitsChangeOf>[0],
  { author, verb, advice }: { author: string; verb: string; advice?: string },
): void {
  if (permitsChangeOf(scope, author)) return;
  const refusal = `An agent token without the permission memory:review cannot ${verb} that somebody else made`;
  throw new ServiceError('forbidden', advice === undefined ? refusal : `${refusal}; ${advice}`);
}

/** The id of a layer: that of the Team for the Team layer, or that of a client. */
export type LayerId = string;

/** The layer that the API names by its client, which is null for the Team layer. */
export function layerOf({ teamId }: Pick<TeamScope, 'teamId'>, clientId: string | null): LayerId {
  return clientId ?? teamId;
}

/** The client by which the API names a layer: null for the Team layer. */
export function clientOf({ teamId }: Pick<TeamScope, 'teamId'>, layerId: LayerId): string | null {
  return layerId === teamId ? null : layerId;
}

/** The clients among some layers of a Team. */
export function clientsIn({ teamId }: Pick<TeamScope, 'teamId'>, layers: Layers): readonly string[] {
  return layers.filter((id) => id !== teamId);
}

/** Whether a scope can read the layer that a request names by its client. The id of the Team is that of no client. */
export function readsLayerOf({ teamId, reads }: TeamScope, clientId: string | null): boolean {
  return clientId !== teamId && reads.includes(clientId ?? teamId);
}

/**
 * The layer that a request writes to: that of the client it names, or the Team layer.
 * @throws ServiceError `scope_forbidden` if the caller cannot write to it
 */
export function writeLayer(scope: TeamScope, requested: RequestedScope = {}): LayerId {
  const clientId = requested.clientId?.toLowerCase() ?? null;
  const layerId = layerOf(scope, clientId);
  if (clientId === scope.teamId || !scope.writes.includes(layerId)) throw new ServiceError('scope_forbidden');
  return layerId;
}
