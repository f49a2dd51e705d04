import type { Layers } from '../../../shared/access.ts';
import type { LayerKind } from '../../../shared/schemas/memory.ts';
import type { TeamScope } from '../../../shared/scope.ts';

/**
 * Returns the condition that a row belongs to a layer that the scope can read. Every query contains it, and row-level
 * security checks the same again. Uses `$1` and `$2`: bind `...scopeValues(scope)` first.
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
  return `${alias}.team_id = ${teamId} and ${alias}.layer_id = any ($2::uuid[])`;
}

/** The values of `inScope`, for layers that the scope can read. */
export function scopeValues(scope: TeamScope): [string, Layers] {
  return [scope.teamId, scope.reads];
}

/** The values of `inScope`, for layers that the scope can write. */
export function writeScopeValues(scope: TeamScope): [string, Layers] {
  return [scope.teamId, scope.writes];
}

/** Returns a time as it is sent to clients: ISO 8601, UTC, with milliseconds. */
export function wireTime(at: Date): string {
  return at.toISOString();
}

/**
 * Returns the client of a row, as the API names it: null for the Team layer.
 * @param alias the table's name or alias in the query
 */
export function clientColumn(alias: string): string {
  return `nullif(${alias}.layer_id, ${alias}.team_id)`;
}

/** Returns the kind of the layer that `clientColumn` names. */
export function layerKind(clientId: string | null): LayerKind {
  return clientId === null ? 'team' : 'client';
}
