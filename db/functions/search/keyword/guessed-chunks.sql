-- Part of search_candidates. Returns the chunks within the claims that contain words which the query can stand for, with
-- what these words count: for each word of the query its best guess, which counts its percentage of its idf. Most guesses
-- are of no stored word: each is looked up by itself, which takes a third of the time of looking them up at once. Guesses
-- of a word that occurs often are not needed, and one that occurs often itself says little. A guess is never rarer than
-- the word, so that a passage with the word itself comes first.
create or replace function memory.guessed_chunks(
  p_layers uuid[],
  p_keys int[], p_percents int[],       -- the guesses: their keys, and how much each counts, ...
  p_places int[],                       -- ... and the place of the word that each is a guess of, ...
  p_words int[],                        -- ... among the keys of these words
  p_chunks float8,                      -- the number of chunks of the scope, as counted
  p_filter record,                      -- the result of choose_filter
  out chunk_ids uuid[], out points float8[] -- best first
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  often constant int := 50;             -- a word in so many chunks needs no guesses
  common constant int := 200;           -- a guess in more chunks is not used
  most constant int := 200;             -- chunks that are returned at most
  most_read constant int := 4000;       -- chunks whose filters are looked up at most
  v_team constant uuid := claimed_team();
  v_places int[];
begin
  with word as materialized (
    -- In how many chunks each word occurs, up to `often`.
    select w.place, (select count(*) from (
             select from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c
                           where c.keys && array[w.key] offset 0) c
              where c.team_id = v_team and c.layer_id = any (p_layers)
                and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
              limit often) k) as chunks
      from unnest(p_words) with ordinality w (key, place)
  ), posting as (
    -- A guess with a percentage below 0 is one of a typing error: it counts only if the word occurs nowhere.
    select g.nth, g.place, abs(g.percent) / 100.0::float8 as factor, k.chunk_id, w.chunks as of_word,
           count(*) over (partition by g.nth) as chunks
      from unnest(p_keys, p_percents, p_places) with ordinality g (key, percent, place, nth)
      join word w on w.place = g.place and w.chunks < often and (g.percent > 0 or w.chunks = 0)
      cross join lateral (
        select c.chunk_id
          from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c where c.keys && array[g.key] offset 0) c
         where c.team_id = v_team and c.layer_id = any (p_layers)
           and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
         limit common + 1) k
  ), best as (
    select p.chunk_id, p.place,
           max(p.factor * ln(1 + (greatest(p_chunks - f.chunks, 0) + 0.5) / (f.chunks + 0.5))) as points
      from posting p cross join lateral (select greatest(p.chunks, p.of_word) as chunks) f
     where p.chunks <= common
     group by p.chunk_id, p.place
  ), summed as (
    select b.chunk_id, sum(b.points) as points
      from best b
     where p_filter.allowed is null or b.chunk_id in (select unnest(p_filter.allowed))
     group by b.chunk_id order by 2 desc, 1 limit case when p_filter.looked_up then most_read else most end
  )
  select coalesce(array_agg(s.chunk_id order by s.points desc, s.chunk_id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.chunk_id), '{}')
    into chunk_ids, points from summed s;
  if p_filter.looked_up then
    v_places := first_passing(chunk_ids, p_filter, most);
    select coalesce(array_agg(chunk_ids[n.place] order by n.nth), '{}'),
           coalesce(array_agg(points[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
  end if;
end $$;

revoke execute on function memory.guessed_chunks(uuid[], int[], int[], int[], int[], float8, record) from public, memory_service, memory_worker;
