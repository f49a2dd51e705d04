import type { LayerKind } from '../../../shared/schemas/memory.ts';
import type { LayerId, TeamScope } from '../../../shared/scope.ts';

/**
 * Returns the condition that a row belongs to a layer that the scope can read. Every query contains it, and row-level
 * security checks the same again. Uses `$1` to `$3`: bind `...scopeValues(scope)` first.
 * @param alias the table's name or alias in the query
 */
export function inScope(alias: string): string {
  return within(alias, '$1');
}

/**
 * Like `inScope`, for rows that are looked up by their key. The sub-select hides from the planner which Team it is: if
 * the Team is not in the statistics yet, the planner expects one row of it, and every look-up reads all of its rows.
 */
export function inScopeByKey(alias: string): string {
  return within(alias, '(select $1::uuid)');
}

function within(alias: string, teamId: string): string {
  return `${alias}.team_id = ${teamId} and (($2 and ${alias}.client_id is null) or ${alias}.client_id = any ($3::uuid[]))`;
}

/** The values of `inScope`, for layers that the scope can read. */
export function scopeValues(scope: TeamScope): [string, boolean, readonly string[]] {
  return [scope.teamId, scope.reads.team, scope.reads.clients];
}

/** The values of `inScope`, for layers that the scope can write. */
export function writeScopeValues(scope: TeamScope): [string, boolean, readonly string[]] {
  return [scope.teamId, scope.writes.team, scope.writes.clients];
}

/** Returns a time as it is sent to clients: ISO 8601, UTC, with milliseconds. */
export function wireTime(at: Date): string {
  return at.toISOString();
}

/** Returns the kind of a layer, as the API names it. */
export function layerKind(layerId: LayerId): LayerKind {
  return layerId === null ? 'team' : 'client';
}
