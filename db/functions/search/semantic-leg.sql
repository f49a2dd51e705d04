-- Part of search_candidates. Returns the chunks nearest to a vector, nearest first, with their cosines. Up to
-- exact_scan vectors are compared in full. Of more, the signs of the numbers are compared first, which an index
-- contains, and then the best of them in full.
create or replace function memory.semantic_leg(
  p_embedding halfvec,        -- of unit length
  p_model text,               -- only vectors of this model are compared
  p_allowed uuid[],           -- the chunks that pass the filter, or null: no filter is set, or p_hidden has the others
  p_hidden uuid[],            -- chunks to exclude: their source is loading, or a filter refuses them; or null
  p_leg int,                  -- how many chunks are returned at most
  p_team_chunks float8,       -- the number of chunks of the scope, as counted
  p_explain boolean,
  out chunk_ids uuid[], out points float8[], out detail jsonb
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  exact_scan constant int := 1000;      -- up to this many vectors are compared in full
  rerank constant int := 200;           -- with more: how many of the best by signs are compared in full
  large constant int := 10000;          -- with more chunks than this ...
  sounding constant int := 3000;        -- ... this many vectors are read first, to learn which distance is too far
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_rows int;
  v_signs bit(1024);
  v_near float8;
begin
  -- The number of vectors to compare, counted no further than exact_scan + 1.
  select count(*) into v_rows from (
    select from chunk_embedding e
     where p_allowed is null and e.team_id = v_team and e.model = p_model
       and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
     limit exact_scan + 1) n;
  v_rows := coalesce(cardinality(p_allowed), v_rows);

  if v_rows > exact_scan then
    v_signs := binary_quantize(p_embedding)::bit(1024);
  end if;
  -- The best `rerank` of some vectors bound the best `rerank` of all: a vector farther away than these is not among
  -- them, and is not sorted.
  if v_signs is not null and p_team_chunks > large then
    select max(d.distance) into v_near from (
      select n.signs <~> v_signs as distance from (
        select e.signs from chunk_embedding e
         where e.team_id = v_team and e.model = p_model
           and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
           and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
           and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
         limit sounding) n
       order by 1 limit rerank) d;
  end if;

  with looked_at as (
    select a.id from unnest(p_allowed) a (id) where v_signs is null
    union all
    -- Reads only ids and signs, which the index contains, and not the rows, which are large. One query for the Team
    -- layer and one for clients, so that the index selects the layer: comparing the layer of each row took a sixth of
    -- the time. offset 0 makes the planner look up p_allowed and p_hidden only for the few rows that are
    -- left.
    (select n.chunk_id from (
       select e.chunk_id, e.signs <~> v_signs as distance from chunk_embedding e
        where v_signs is not null and v_team_layer
          and e.team_id = v_team and e.model = p_model and e.client_id is null
          and (v_near is null or e.signs <~> v_signs <= v_near)
       union all
       select e.chunk_id, e.signs <~> v_signs from chunk_embedding e
        where v_signs is not null
          and e.team_id = v_team and e.model = p_model and e.client_id = any (v_clients)
          and (v_near is null or e.signs <~> v_signs <= v_near)
       offset 0) n
      where (p_allowed is null or n.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or n.chunk_id not in (select unnest(p_hidden)))
      order by n.distance, n.chunk_id limit rerank)
  ), compared as (
    -- All vectors of the scope, if they are few and no filter is set, and the chunks that were looked at.
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from chunk_embedding e
     where v_signs is null and p_allowed is null and e.team_id = v_team and e.model = p_model
       and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
       and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
    union all
    select l.id, (select -(e.embedding <#> p_embedding) from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = l.id and (e.model = p_model) is true)
      from looked_at l
  ), nearest as (
    -- A chunk that passes a filter can have no vector yet.
    select c.chunk_id, c.points from compared c
     where c.points is not null order by c.points desc, c.chunk_id limit p_leg
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into chunk_ids, points
    from nearest n;

  if p_explain then
    detail := jsonb_build_object(
      'path', case when v_signs is null then 'exact' else 'quantised' end,
      'candidates', (select count(*) from chunk_embedding e
                    where e.team_id = v_team and e.model = p_model
                      and ((e.client_id is null and v_team_layer) or e.client_id = any (v_clients))
                      and (p_allowed is null or e.chunk_id in (select unnest(p_allowed)))
                      and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))),
      'hits', cardinality(chunk_ids));
  end if;
end $$;

revoke execute on function memory.semantic_leg(halfvec, text, uuid[], uuid[], int, float8, boolean) from public, memory_service, memory_worker;
