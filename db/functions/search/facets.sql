-- Returns what these chunks, which are within the claims, are counted by: { kind, client, tag, year }, each a list of
-- { value, count }, the highest count first, at most 20. Each chunk counts once in each list. The Team layer is no client.
create or replace function memory.search_facets(p_chunks uuid[]) returns jsonb
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  most constant int := 20;              -- values of a list
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
begin
  return (
    -- offset 0 looks each chunk and each source up by its id.
    with found as (
      select s.* from unnest(p_chunks) a (id)
       cross join lateral (select c.source_id from chunk c where c.team_id = v_team and c.id = a.id offset 0) c
       cross join lateral (
         select o.kind, o.layer_id, o.tags, coalesce(o.occurred_at, o.created_at) as date from source o
          where o.team_id = v_team and o.id = c.source_id and o.layer_id = any (v_layers) offset 0) s
    ), counted as (
      select v.facet, v.value, count(*)::int as n
        from found f
       cross join lateral (
         values ('kind', f.kind), ('client', nullif(f.layer_id, v_team)::text),
                ('year', extract(year from f.date at time zone 'UTC')::text)
         union all select 'tag', unnest(f.tags)) v (facet, value)
       where v.value is not null group by 1, 2
    ), ranked as (
      select c.*, row_number() over (partition by c.facet order by c.n desc, c.value collate "C") as rank from counted c
    )
    select jsonb_object_agg(l.facet, coalesce(l.list, '[]'))
      from (select k.facet, jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n) order by r.rank)
                              filter (where r.rank <= most) as list
              from unnest(array['kind', 'client', 'tag', 'year']) k (facet) left join ranked r using (facet)
             group by k.facet) l);
end $$;

revoke execute on function memory.search_facets(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.search_facets(uuid[]) to memory_service;
