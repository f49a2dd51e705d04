-- Part of score_pass, for a scope or a filter with few chunks. Reads the chunks one by one and scores those that
-- contain one of the keys. Scores at most p_most chunks and returns the best p_limit, best first. The index of keys is
-- not used. From `compared` on, the statement must be the same in score_by_key, score_by_key_and_layer and
-- score_one_by_one.
create or replace function memory.score_one_by_one(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_allowed uuid[], p_hidden uuid[],
  p_most int, p_limit int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks that pass a filter.
    (select c.chunk_id, c.weights
       from (select id from unnest(p_allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and c.layer_id = any (p_layers)
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden))))
    union all
    -- Without a filter: the chunks of the scope, layer by layer, as in small_scope_chunks.
    (select c.chunk_id, c.weights
       from (select c.* from unnest(p_layers) l (id)
              cross join lateral (
                select c.chunk_id, c.weights, c.keys from chunk_keyword c
                 where p_allowed is null and c.team_id = v_team and c.layer_id between l.id and l.id offset 0) c
              where p_hidden is null or c.chunk_id not in (select unnest(p_hidden))
              limit p_most) c
      where c.keys && p_keys)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

revoke execute on function memory.score_one_by_one(uuid[], sparsevec, int[], uuid[], uuid[], int, int) from public, memory_service, memory_worker;
