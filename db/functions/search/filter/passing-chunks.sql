-- Returns the chunks within the claims that pass a filter. Returns null if more than p_most chunks within the claims
-- pass the filters by time and source: then it reads no further. p_most null: without limit. Chunks outside of the claims
-- are not counted, because a search must not depend on them.
create or replace function memory.passing_chunks(
  p_filter record,            -- the result of choose_filter
  p_most int
) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_passing uuid[];
begin
  with dated as materialized (
    -- Thousands of sources are looked up one by one: without statistics, each chunk would be compared with all of them.
    select c.id, c.source_id from unnest(p_filter.sources) f (source_id)
     cross join lateral (
       select c.id, c.source_id from chunk c
        where c.team_id = v_team and c.source_id = f.source_id
          and c.layer_id = any (v_layers)
          and (p_filter.since is null or c.created_at >= p_filter.since)
          and (p_filter.until is null or c.created_at < p_filter.until) offset 0) c
    union all
    select c.id, c.source_id from chunk c
     where p_filter.sources is null and c.team_id = v_team
       and c.layer_id = any (v_layers)
       and (p_filter.since is null or c.created_at >= p_filter.since)
       and (p_filter.until is null or c.created_at < p_filter.until)
     limit p_most + 1
  ), read as materialized (
    -- When there are too many, nothing more is done with them.
    select p_most is null or count(*) <= p_most as is_complete from dated
  ), passing_source as materialized (
    -- Each source is looked up by its id, which a join without statistics would not do.
    select d.source_id from (select distinct source_id from dated where (select r.is_complete from read r)) d
     where (select s.state = 'active' and not is_due(s.expires_at)
                   and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                   and (p_filter.tags is null or s.tags @> p_filter.tags)
                   and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                         p_filter.occurred_after, p_filter.occurred_before)
              from source s where s.team_id = v_team and s.id = d.source_id)
  )
  select case when (select r.is_complete from read r) then coalesce(array_agg(d.id), '{}') end into v_passing
    from dated d
   where (select r.is_complete from read r) and d.source_id in (select p.source_id from passing_source p);
  return v_passing;
end $$;

revoke execute on function memory.passing_chunks(record, int) from public, memory_service, memory_worker;
