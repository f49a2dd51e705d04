/**
 * SQL for the column `createdWith`: the agent token with which a row of a Team was made, as it is sent to clients, or
 * null.
 * @param alias the table's name or alias in the query
 */
export function createdWith(alias: string): string {
  return `(select jsonb_build_object('tokenId', t.id, 'name', t.name) from identity.agent_token t
            where t.team_id = ${alias}.team_id and t.id = ${alias}.created_by_token) as "createdWith"`;
}
