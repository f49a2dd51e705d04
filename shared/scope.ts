import {
  type Identity,
  type Layers,
  readableLayers,
  type TeamAccess,
  type TeamMembership,
  teamAccess,
  writableLayers,
} from './access.ts';
import { ServiceError } from './errors.ts';

declare const scopeBrand: unique symbol;

/** What a transaction may touch of a Company: its accounts, Teams and audit. */
export interface CompanyScope {
  readonly [scopeBrand]: 'company';
  readonly companyId: string;
  /** The acting user: `actor` of audit events, `createdBy` of rows. */
  readonly userId: string;
}

/** What a transaction may touch of one Team. The claims of row-level security are made from it alone. */
export interface TeamScope {
  readonly [scopeBrand]: 'team';
  readonly companyId: string;
  readonly userId: string;
  readonly teamId: string;
  readonly access: TeamAccess;
  readonly reads: Layers;
  readonly writes: Layers;
}

/**
 * The only licence to query tenant data. No other module can make one: the brand is private, and the makers
 * below take what the identity query resolved, never what a caller claims.
 */
export type Scope = CompanyScope | TeamScope;

function brand<S extends Scope>(fields: Omit<S, typeof scopeBrand>): S {
  return Object.freeze(fields) as S;
}

/** The scope of a signed-in caller in its Company. */
export function companyScope(identity: Pick<Identity, 'companyId' | 'userId'>): CompanyScope {
  return brand<CompanyScope>({ companyId: identity.companyId, userId: identity.userId });
}

/** The scope of a signed-in caller in one Team, or null where it may not enter. */
export function teamScope(identity: Identity, team: TeamMembership): TeamScope | null {
  const access = teamAccess(identity.companyRole, team);
  if (access === null) return null;
  return brand<TeamScope>({
    companyId: identity.companyId,
    userId: identity.userId,
    teamId: team.id,
    access,
    reads: readableLayers(identity.companyRole, team, identity.clients),
    writes: writableLayers(identity.companyRole, team, identity.clients),
  });
}

/** Where a job works: exactly the layer that its row was accepted for, as the user who asked for it. */
export interface JobOrigin {
  companyId: string;
  teamId: string;
  clientId: string | null;
  userId: string;
}

/**
 * The scope of a job. A job's payload is trusted: only the service writes it, in the transaction that checked
 * the caller's own scope.
 */
export function jobScope(origin: JobOrigin): TeamScope {
  const layers: Layers = {
    team: origin.clientId === null,
    clients: origin.clientId === null ? [] : [origin.clientId],
  };
  return brand<TeamScope>({
    companyId: origin.companyId,
    userId: origin.userId,
    teamId: origin.teamId,
    access: 'member',
    reads: layers,
    writes: layers,
  });
}

/** Acts for no one: what is made of a text that is there already is nobody's change. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The scope of upkeep that makes vectors for the chunks of one layer. */
export function layerScope(origin: Omit<JobOrigin, 'userId'>): TeamScope {
  return jobScope({ ...origin, userId: NOBODY });
}

/** The scope of upkeep that reads numbers of a whole Team (term frequencies), and no text of any layer. */
export function upkeepScope(origin: Pick<JobOrigin, 'companyId' | 'teamId' | 'userId'>): TeamScope {
  const none: Layers = { team: false, clients: [] };
  return brand<TeamScope>({ ...origin, access: 'read', reads: none, writes: none });
}

/** The scope that a request names: a client of the Team, and which layers it means. */
export interface RequestedScope {
  clientId?: string;
  include?: ('team' | 'client')[];
}

/**
 * Narrows what is read, and with it what is written, to what the request names. `team` is the Team layer;
 * `client` the client named or, with none named, every client within reach. Both are meant with a client and no
 * `include`, else the Team layer.
 * @throws ServiceError `scope_forbidden` for a client out of reach, whether or not it exists.
 */
export function narrowScope(scope: TeamScope, requested: RequestedScope = {}): TeamScope {
  const { clientId } = requested;
  if (clientId !== undefined && !scope.reads.clients.includes(clientId.toLowerCase())) {
    throw new ServiceError('scope_forbidden');
  }
  const include = requested.include ?? (clientId === undefined ? ['team'] : ['team', 'client']);
  let clients: readonly string[] = [];
  if (include.includes('client'))
    clients = clientId === undefined ? scope.reads.clients : [clientId.toLowerCase()];
  const reads: Layers = { team: scope.reads.team && include.includes('team'), clients };
  // What may be written may be read: a narrowed scope that still wrote elsewhere would read there too.
  const writes: Layers = {
    team: scope.writes.team && reads.team,
    clients: scope.writes.clients.filter((id) => clients.includes(id)),
  };
  return brand<TeamScope>({ ...scope, reads, writes });
}

/**
 * What a list shows that is asked for with `clientId`: that client alone, else all that the caller reaches.
 * @throws ServiceError `scope_forbidden` for a client out of reach, whether or not it exists.
 */
export function narrowToClient(scope: TeamScope, clientId: string | undefined): TeamScope {
  return clientId === undefined ? scope : narrowScope(scope, { clientId, include: ['client'] });
}

/** Where a row lies within its Team: the Team layer (null) or one client. */
export type LayerId = string | null;

/**
 * The one layer that a write goes to: the client named, or the Team layer.
 * @throws ServiceError `scope_forbidden` where the caller may not write.
 */
export function writeLayer(scope: TeamScope, requested: RequestedScope = {}): LayerId {
  const clientId = requested.clientId?.toLowerCase() ?? null;
  const allowed = clientId === null ? scope.writes.team : scope.writes.clients.includes(clientId);
  if (!allowed) throw new ServiceError('scope_forbidden');
  return clientId;
}
