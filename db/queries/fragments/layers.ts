import type { TeamScope } from '../../../shared/scope.ts';

/**
 * The condition that rows of a table lie within what the scope reads: the first wall, written into each query;
 * row-level security is the second. Uses `$1` to `$3`: bind `...scopeValues(scope)` first.
 * @param alias the table's name or alias in the query
 */
export function inScope(alias: string): string {
  return `${alias}.team_id = $1 and (($2 and ${alias}.client_id is null) or ${alias}.client_id = any ($3::uuid[]))`;
}

/** The values of `inScope`, for what the scope reads. */
export function scopeValues(scope: TeamScope): [string, boolean, readonly string[]] {
  return [scope.teamId, scope.reads.team, scope.reads.clients];
}

/** The values of `inScope`, for what the scope writes. */
export function writeScopeValues(scope: TeamScope): [string, boolean, readonly string[]] {
  return [scope.teamId, scope.writes.team, scope.writes.clients];
}

/** Time on the wire: ISO 8601, UTC, milliseconds. */
export function wireTime(at: Date): string {
  return at.toISOString();
}

/** The layer that a row's client id stands for. */
export function layerOf(clientId: string | null): 'team' | 'client' {
  return clientId === null ? 'team' : 'client';
}
