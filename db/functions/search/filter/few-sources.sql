-- Part of choose_filter. Returns the active sources within the claims that pass the filters by kind, source, tag and
-- date; null if they are many, or have many chunks. Stops reading when they are too many.
create or replace function memory.few_sources(
  p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamptz, p_occurred_before timestamptz
) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  most constant int := 10000;           -- sources, and chunks
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[] := '{}';
  v_chunks bigint := 0;
  v_source record;
begin
  for v_source in
    select s.id, s.chunk_count from source s
     -- The comparison with '{}' is the condition of the index of sources with tags.
     where s.team_id = v_team and s.state = 'active' and not is_due(s.expires_at)
       and (p_kinds is null or s.kind = any (p_kinds))
       and (p_sources is null or s.id = any (p_sources))
       and (p_tags is null or (s.tags @> p_tags and s.tags <> '{}'))
       and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day, p_occurred_after, p_occurred_before)
       and s.layer_id = any (v_layers)
     limit most + 1
  loop
    v_ids := v_ids || v_source.id;
    v_chunks := v_chunks + v_source.chunk_count;
    if v_chunks > most or cardinality(v_ids) > most then
      return null;
    end if;
  end loop;
  return v_ids;
end $$;

revoke execute on function memory.few_sources(text[], uuid[], text[], timestamptz, timestamptz) from public, memory_service, memory_worker;
