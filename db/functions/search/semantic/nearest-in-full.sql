-- Part of semantic_candidates, for few vectors: compares each of them in full. From `nearest` on, the statement must be
-- the same in nearest_in_full and nearest_by_signs.
create or replace function memory.nearest_in_full(
  p_team_layer boolean, p_clients uuid[], p_embedding halfvec, p_model text,
  p_allowed uuid[], p_hidden uuid[], p_limit int,
  out chunk_ids uuid[], out points float8[]
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with compared as (
    -- Without a filter: the vectors of the scope.
    select e.chunk_id, -(e.embedding <#> p_embedding) as points
      from chunk_embedding e
     where p_allowed is null and e.team_id = v_team and e.model = p_model
       and ((e.client_id is null and p_team_layer) or e.client_id = any (p_clients))
       and (p_hidden is null or e.chunk_id not in (select unnest(p_hidden)))
    union all
    -- With a filter: the vectors of the chunks that pass it. Such a chunk can have no vector yet.
    select a.id, (select -(e.embedding <#> p_embedding) from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = a.id and (e.model = p_model) is true)
      from unnest(p_allowed) a (id)
  ), nearest as (
    select c.chunk_id, c.points from compared c
     where c.points is not null order by c.points desc, c.chunk_id limit p_limit
  )
  select coalesce(array_agg(n.chunk_id order by n.points desc, n.chunk_id), '{}'),
         coalesce(array_agg(n.points order by n.points desc, n.chunk_id), '{}')
    into chunk_ids, points
    from nearest n;
end $$;

revoke execute on function memory.nearest_in_full(boolean, uuid[], halfvec, text, uuid[], uuid[], int) from public, memory_service, memory_worker;
