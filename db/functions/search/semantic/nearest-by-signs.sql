-- Part of semantic_candidates, for many vectors. Compares the signs of their numbers, which an index contains, and then
-- the best of them in full. From `nearest` on, the statement must be the same in nearest_in_full and nearest_by_signs.
create or replace function memory.nearest_by_signs(
  p_team_layer boolean, p_clients uuid[], p_embedding halfvec, p_model text,
  p_allowed uuid[], p_hidden uuid[], p_limit int,
  p_chunks float8,            -- the number of chunks of the scope, as counted
  out chunk_ids uuid[], out points float8[]
)
language plpgsql stable
as $$
declare
  rerank constant int := 200;           -- how many of the best by signs are compared in full
  large constant int := 10000;          -- with more chunks than this ...
  sample_size constant int := 3000;     -- ... this many vectors are read first, to learn which distance is too far
  v_team constant uuid := claimed_team();
  v_signs constant bit(1024) := binary_quantize(p_embedding)::bit(1024);
  v_too_far float8;
begin
  -- A sample has `rerank` vectors within distance v_too_far. So the best `rerank` of all vectors are within it too, and
  -- vectors farther away need not be sorted.
  if p_chunks > large then
    select max(d.distance) into v_too_far from (
      select n.signs <~> v_signs as distance from (
        select e.signs from chunk_embedding e
         where e.team_id = v_team and e.model = p_model
           and ((e.client_id is null and p_team_layer) or e.client_id = any (p_clients))
           and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
           and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
         limit sample_size) n
       order by 1 limit rerank) d;
  end if;

  with looked_at as (
    -- Reads only ids and signs, which the index contains, and not the rows, which are large. One query for the Team
    -- layer and one for clients, so that the index selects the layer: comparing the layer of each row took a sixth of
    -- the time. offset 0 makes the planner look up p_allowed and p_hidden only for the few rows that are left.
    select n.chunk_id from (
      select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
       where p_team_layer
         and e.team_id = v_team and e.model = p_model and e.client_id is null
         and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
      union all
      select e.chunk_id, e.signs <~> v_signs from chunk_embedding e
       where e.team_id = v_team and e.model = p_model and e.client_id = any (p_clients)
         and (v_too_far is null or e.signs <~> v_signs <= v_too_far)
      offset 0) n
     where (p_allowed is null or n.chunk_id in (select unnest(p_allowed)))
       and (p_hidden is null or n.chunk_id not in (select unnest(p_hidden)))
     order by n.distance, n.chunk_id limit rerank
  ), compared as (
    select l.chunk_id, (select -(e.embedding <#> p_embedding) from chunk_embedding e
                         where e.team_id = v_team and e.chunk_id = l.chunk_id and (e.model = p_model) is true) as points
      from looked_at l
  ), nearest as (
    select c.chunk_id, c.points from compared c
     where c.points is not null order by c.points desc, c.chunk_id limit p_limit
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into chunk_ids, points
    from nearest n;
end $$;

revoke execute on function memory.nearest_by_signs(boolean, uuid[], halfvec, text, uuid[], uuid[], int, float8) from public, memory_service, memory_worker;
