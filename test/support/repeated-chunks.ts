import type { Database } from '../../db/driver/database.ts';

/** Stores the first thousand chunks of a source so many times more, with their words, as quickly as possible. */
export async function repeatChunks(
  database: Database,
  { teamId }: { teamId: string },
  sourceId: string,
  times: number,
): Promise<void> {
  await database.query(
    `with copy as (
       insert into memory.chunk (team_id, id, source_id, client_id, ordinal, text)
       select c.team_id, gen_random_uuid(), c.source_id, c.client_id, c.ordinal + 1000 * n, c.text
         from memory.chunk c, generate_series(1, $3::int) n
        where c.team_id = $1 and c.source_id = $2
       returning team_id, id, client_id, source_id, ordinal)
     insert into memory.chunk_keyword (team_id, chunk_id, client_id, weights, keys)
     select copy.team_id, copy.id, copy.client_id, k.weights, k.keys
       from copy
       join memory.chunk c on c.team_id = copy.team_id and c.source_id = copy.source_id
                          and c.ordinal = copy.ordinal % 1000
       join memory.chunk_keyword k on k.team_id = c.team_id and k.chunk_id = c.id`,
    [teamId, sourceId, times],
  );
  await database.query(
    `update memory.source s set chunk_count = (
       select count(*) from memory.chunk c where c.team_id = s.team_id and c.source_id = s.id)
      where s.team_id = $1 and s.id = $2`,
    [teamId, sourceId],
  );
}
