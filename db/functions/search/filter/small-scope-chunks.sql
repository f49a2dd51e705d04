-- Part of choose_filter. Returns the chunks within the claims if they are few and the Team has many, with those of
-- sources that are loading. Returns null otherwise, and without word counts. Stops reading when they are too many. The
-- size of the Team changes how a filter is tested, but not which chunks pass.
create or replace function memory.small_scope_chunks() returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
-- An index scan stops at the limit, but a bitmap scan would first read all rows.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  most constant int := 1000;            -- chunks of a small scope
  many constant int := 20000;           -- chunks of a large Team, as counted
  v_team constant uuid := claimed_team();
  v_clients constant uuid[] := readable_clients();
  v_team_layer constant boolean := reads_team_layer();
  v_ids uuid[];
begin
  if not exists (select from keyword_team t where t.team_id = v_team and t.chunks > many) then
    return null;
  end if;
  v_ids := array((select k.chunk_id from chunk_keyword k
                   where v_team_layer and k.team_id = v_team and k.client_id is null limit most + 1)
                 union all
                 (select k.chunk_id from chunk_keyword k
                   where k.team_id = v_team and k.client_id = any (v_clients) limit most + 1));
  return case when cardinality(v_ids) <= most then v_ids end;
end $$;

revoke execute on function memory.small_scope_chunks() from public, memory_service, memory_worker;
