import type { Database } from '../../db/driver/database.ts';

/** Chunks of one statement: few enough for the time that a statement can take, on a slow machine too. */
const CHUNKS_AT_ONCE = 2000;

/** Stores the first thousand chunks of a source so many times more, with their words, as quickly as possible. */
export async function repeatChunks(
  database: Database,
  { teamId }: { teamId: string },
  sourceId: string,
  times: number,
): Promise<void> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from memory.chunk where team_id = $1 and source_id = $2 and ordinal < 1000',
    [teamId, sourceId],
  );
  const timesAtOnce = Math.ceil(CHUNKS_AT_ONCE / (row?.count ?? 1));
  for (let done = 0; done < times; done += timesAtOnce) {
    await database.query(
      `with copy as (
         select gen_random_uuid() as id, c.ordinal + 1000 * n as ordinal, c.text, c.layer_id, k.weights, k.keys
           from memory.chunk c
           join memory.chunk_keyword k on k.team_id = c.team_id and k.chunk_id = c.id
          cross join generate_series($3::int, $4::int) n
          where c.team_id = $1 and c.source_id = $2 and c.ordinal < 1000),
       chunk as (
         insert into memory.chunk (team_id, id, source_id, layer_id, ordinal, text)
         select $1, id, $2, layer_id, ordinal, text from copy)
       insert into memory.chunk_keyword (team_id, chunk_id, layer_id, weights, keys)
       select $1, id, layer_id, weights, keys from copy`,
      [teamId, sourceId, done + 1, Math.min(done + timesAtOnce, times)],
    );
  }
  await database.query(
    `update memory.source s set chunk_count = (
       select count(*) from memory.chunk c where c.team_id = s.team_id and c.source_id = s.id)
      where s.team_id = $1 and s.id = $2`,
    [teamId, sourceId],
  );
}
