-- Part of search_candidates. Adds the chunks of guessed_chunks to those of keyword_candidates: the score of a chunk is
-- that by the words of the query and what its guessed words count. Returns the best p_limit, best first.
create or replace function memory.add_guesses(
  p_query sparsevec,          -- the weights of the query by weigh_query, or null
  p_keyword record,           -- the result of keyword_candidates
  p_layers uuid[], p_guess_keys int[], p_guess_percents int[], p_guess_places int[],
  p_guessed_words int[], p_chunks float8, p_filter record, -- see guessed_chunks
  p_limit int,
  out chunk_ids uuid[], out points float8[], out has_rare_identifier boolean[],
  out scored int, out keys_read int[], out rare_keys int[],
  out guessed float8[]        -- the part of each score that its guessed words count
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_guessed record;
begin
  -- With a rare code of the query, what its other words can stand for does not matter.
  if cardinality(p_guess_keys) = 0 or true = any (p_keyword.has_rare_identifier) then
    chunk_ids := p_keyword.chunk_ids; points := p_keyword.points; scored := p_keyword.scored;
    has_rare_identifier := p_keyword.has_rare_identifier;
    keys_read := p_keyword.keys_read; rare_keys := p_keyword.rare_keys;
    return;
  end if;
  v_guessed := guessed_chunks(p_layers, p_guess_keys, p_guess_percents, p_guess_places,
    p_guessed_words, p_chunks, p_filter);
  keys_read := p_keyword.keys_read;
  rare_keys := p_keyword.rare_keys;
  with found as (
    select f.id, f.points from unnest(p_keyword.chunk_ids, p_keyword.points) f (id, points)
  ), guess as (
    select g.id, g.points from unnest(v_guessed.chunk_ids, v_guessed.points) g (id, points)
  ), compared as materialized (
    -- The others are looked up by their id. offset 0 makes the planner do so without statistics.
    select g.id, k.points
      from guess g
      cross join lateral (select coalesce(-(c.weights <#> p_query), 0) as points from chunk_keyword c
                           where c.team_id = v_team and c.chunk_id = g.id offset 0) k
     where g.id not in (select f.id from found f)
  ), summed as (
    select f.id, f.points + coalesce(g.points, 0) as points, g.points as guessed
      from found f left join guess g on g.id = f.id
    union all
    select c.id, c.points + g.points, g.points from compared c join guess g on g.id = c.id
  )
  select coalesce(array_agg(s.id order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.guessed order by s.points desc, s.id), '{}'),
         p_keyword.scored + (select count(*) from compared)
    into chunk_ids, points, guessed, scored
    from (select * from summed order by points desc, id limit p_limit) s;
  has_rare_identifier := contain_keys(chunk_ids, rare_keys);
end $$;

revoke execute on function memory.add_guesses(sparsevec, record, uuid[], int[], int[], int[], int[], float8, record, int) from public, memory_service, memory_worker;
