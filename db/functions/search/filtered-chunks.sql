-- Part of search_candidates. Returns the chunks within the claims that pass the filters of a search, or the chunks
-- within the claims that do not pass, if only these are few. The other of the two is null. A filter that is null is not
-- set. p_after and p_before are bounds of a chunk's time; its source has all of p_tags. Nested loops are off: without
-- statistics the planner would read all chunks of the Team for each of its sources.
create or replace function memory.filtered_chunks(
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz, p_tags text[],
  out allowed uuid[], out refused uuid[]
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  few constant int := 10000;            -- with more chunks that pass, those that do not are tried
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  -- Callers see times in milliseconds. A chunk whose time, as they see it, equals a bound does not pass.
  v_from constant timestamptz := p_after + interval '1 millisecond';
  v_most int := few;
  v_sources uuid[] := p_sources;
begin
  if p_tags is not null then
    v_sources := coalesce(few_tagged_sources(p_tags, p_sources), p_sources);
  end if;
  loop
    -- First pass: at most a few chunks that pass. Second pass: all of them.
    select coalesce(array_agg(p.id), '{}') into allowed from (
      select c.id
        from source s
        join chunk c on c.team_id = s.team_id and c.source_id = s.id
       where s.team_id = v_team and s.state = 'active'
         and (p_kinds is null or s.kind = any (p_kinds))
         and (v_sources is null or s.id = any (v_sources))
         and (p_tags is null or (s.tags @> p_tags and s.tags <> '{}'))
         and c.team_id = v_team
         and (v_sources is null or c.source_id = any (v_sources))
         and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
         and (v_from is null or c.created_at >= v_from)
         and (p_before is null or c.created_at < p_before)
       limit v_most + 1) p;
    exit when cardinality(allowed) <= few or v_most is null;

    select coalesce(array_agg(n.id), '{}') into refused from (
      -- Each part stops when there are too many: the filters can refuse almost every chunk of a large Team.
      (select c.id from chunk c
        where c.team_id = v_team and c.created_at < v_from
          and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
        limit few + 1)
      union
      (select c.id from chunk c
        where c.team_id = v_team and c.created_at >= p_before
          and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
        limit few + 1)
      union
      (select c.id
         from source s
         join chunk c on c.team_id = s.team_id and c.source_id = s.id
        where s.team_id = v_team and c.team_id = v_team
          and (s.state <> 'active' or s.kind <> all (p_kinds) or s.id <> all (v_sources)
               or not s.tags @> p_tags)
          and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
        limit few + 1)) n;
    if cardinality(refused) <= few then
      allowed := null;
      return;
    end if;
    -- There are many that pass and many that do not.
    v_most := null;
  end loop;
  refused := null;
end $$;

revoke execute on function memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz, text[]) from public, memory_service, memory_worker;
