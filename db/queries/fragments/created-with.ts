/** The name of an agent token that was deleted, because its owner was erased. */
const DELETED_TOKEN = 'Former agent token';

/**
 * SQL for the column `createdWith`: the agent token with which a row of a Team was made, as it is sent to clients, or
 * null.
 * @param alias the table's name or alias in the query
 */
export function createdWith(alias: string): string {
  const token = `${alias}.created_by_token`;
  return `case when ${token} is not null then jsonb_build_object('tokenId', ${token}, 'name', ${tokenName(alias)}) end
    as "createdWith"`;
}

/** SQL for the name of the agent token with which a row of a Team was made. */
export function tokenName(alias: string): string {
  return `coalesce((select t.name from identity.agent_token t
    where t.team_id = ${alias}.team_id and t.id = ${alias}.created_by_token), '${DELETED_TOKEN}')`;
}
