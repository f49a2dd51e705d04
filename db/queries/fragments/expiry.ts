/**
 * SQL for the condition that a source is active: it is neither loading nor archived, and it has not expired.
 * @param alias the alias of `memory.source` in the query
 */
export function isActive(alias: string): string {
  return `${alias}.state = 'active' and not memory.is_due(${alias}.expires_at)`;
}

/**
 * SQL for the state of a source or a memory as callers see it: a record that has expired is archived, also before a job
 * archives it.
 * @param alias the alias of `memory.source` or `memory.memory_item` in the query
 */
export function stateNow(alias: string): string {
  return `memory.state_now(${alias}.state, ${alias}.expires_at)`;
}
