/**
 * SQL for the condition that feedback waits for a decision.
 * @param alias the alias of `memory.feedback` in the query
 */
export function isOpen(alias: string): string {
  return `${alias}.settled_at is null and ${alias}.verdict <> 'useful'`;
}

/**
 * SQL for the ids of the sources with feedback that waits for a decision.
 * @param teamId the parameter with the id of the Team
 */
export function questionedSources(teamId: string): string {
  return `select q.source_id from memory.feedback q where q.team_id = ${teamId} and ${isOpen('q')}`;
}
