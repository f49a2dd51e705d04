import type { TeamActivity } from '../../shared/schemas/activity.ts';
import type { TeamTransaction, WorkerTransaction } from '../driver/database.ts';
import { DELETED_TOKEN } from './common.ts';

/** The sums that an answer has of each day, and their columns. */
const SUMS = Object.entries({
  searches: 'searches',
  searchesWithoutHit: 'searches_without_hit',
  opened: 'opened',
  ingested: 'ingested',
  imported: 'imported',
  captured: 'captured',
  published: 'published',
  feedback: 'feedback',
})
  .map(([name, column]) => `coalesce(sum(a.${column}), 0)::int as "${name}"`)
  .join(', ');

/** Sums up the use of the Team in the last days: by day, the oldest first, and by agent token, the busiest first. */
export async function readTeamActivity(tx: TeamTransaction, days: number): Promise<TeamActivity> {
  // Days are counted as dates: a series of times leaves out and shifts days where the session's zone changes its clock at
  // midnight.
  const [activity] = await tx.query<TeamActivity>(
    `with listed as (
       select (now() at time zone 'UTC')::date - n as day from generate_series(0, $1::int - 1) n
     ), used as materialized (
       select * from memory.team_activity_since((now() at time zone 'UTC')::date - ($1::int - 1))
     ), by_day as (
       select to_char(l.day, 'YYYY-MM-DD') as day, ${SUMS}
         from listed l left join used a on a.day = l.day
        group by l.day order by l.day
     ), by_token as (
       select a.token_id as "tokenId", coalesce(t.name, '${DELETED_TOKEN}') as name, sum(a.searches)::int as searches,
              sum(a.writes)::int as writes, sum(a.characters_returned)::bigint as "charactersReturned"
         from used a
         left join identity.agent_token t on t.team_id = $2 and t.id = a.token_id
        where a.token_id <> '00000000-0000-0000-0000-000000000000'
        group by 1, 2 having sum(a.searches + a.writes + a.characters_returned) > 0
        order by sum(a.searches + a.writes) desc, a.token_id
     )
     select (select json_agg(d) from by_day d) as days, (select coalesce(json_agg(t), '[]') from by_token t) as tokens`,
    [days, tx.scope.teamId],
  );
  return activity!;
}

/** How often texts of a Team were read, and how many characters of texts were returned. */
export interface Reads {
  teamId: string;
  /** The agent token that read them; null for a person. */
  tokenId: string | null;
  opened: number;
  characters: number;
}

/** Adds reads to those of today, of all Teams. Each Team and token is given once. */
export async function addReads(tx: WorkerTransaction, reads: readonly Reads[]): Promise<void> {
  const rows = reads.map(({ teamId, tokenId, ...counts }) => ({ team: teamId, token: tokenId, ...counts }));
  await tx.query('select memory.add_reads($1::jsonb)', [JSON.stringify(rows)]);
}
