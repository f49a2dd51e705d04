-- Part of search_candidates. Returns whether a source of the scope's Team has terms of an earlier version. The versions are
-- named, so that the index of versions and Teams is read for this Team only. Version 0 is a source with another title: its
-- terms can be of any earlier version. The plan is kept for the connection: a function in SQL is planned by each search.
create or replace function memory.has_outdated_terms(p_version int) returns boolean
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_team constant uuid := claimed_team();
  v_versions constant smallint[] := array(select generate_series(0, p_version - 1));
begin
  return exists (select from source s
                  where s.team_id = v_team and s.state = 'active' and s.terms_version = any (v_versions));
end $$;

revoke execute on function memory.has_outdated_terms(int) from public, memory_service, memory_worker;
