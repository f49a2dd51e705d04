-- The chunks within the claims that pass the filters of a search, or else those within the claims that do not: one of
-- the two is null. Each filter may be null. No nested loops: without statistics they read all of the Team's chunks for
-- each of its sources.
create or replace function memory.filtered_chunks(
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz,
  out allowed uuid[], out refused uuid[]
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  few constant int := 10000;            -- the most of those that pass, before those that do not are tried
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  -- Times are shown in milliseconds: what is shown as the bound itself lies neither after nor before it.
  v_from constant timestamptz := p_after + interval '1 millisecond';
  v_most int := few;
begin
  loop
    select coalesce(array_agg(p.id), '{}') into allowed from (
      select c.id
        from source s
        join chunk c on c.team_id = s.team_id and c.source_id = s.id
       where s.team_id = v_team and s.state = 'active'
         and (p_kinds is null or s.kind = any (p_kinds))
         and (p_sources is null or s.id = any (p_sources))
         and c.team_id = v_team
         and (p_sources is null or c.source_id = any (p_sources))
         and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
         and (v_from is null or c.created_at >= v_from)
         and (p_before is null or c.created_at < p_before)
       limit v_most + 1) p;
    exit when cardinality(allowed) <= few or v_most is null;

    select coalesce(array_agg(n.id), '{}') into refused from (
      -- Each no farther than it matters: of a large Team nearly all may be refused.
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
          and (s.state <> 'active' or s.kind <> all (p_kinds) or s.id <> all (p_sources))
          and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients))
        limit few + 1)) n;
    if cardinality(refused) <= few then
      allowed := null;
      return;
    end if;
    -- Many of both.
    v_most := null;
  end loop;
  refused := null;
end $$;

revoke execute on function memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz) from public;
