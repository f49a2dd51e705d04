-- Part of search_candidates. Returns whether a source of the claimed Team has terms of an earlier version. The versions are
-- named, so that the index of versions and Teams is read for this Team only. Version 0 is a source with another title: its
-- terms can be of any earlier version.
create or replace function memory.has_outdated_terms(p_version int) returns boolean
language sql stable security definer
set search_path = memory, public, pg_temp
as $$
  select exists (select from source s where s.team_id = (select claimed_team()) and s.state = 'active'
                  and s.terms_version = any (array(select v::smallint from generate_series(0, p_version - 1) v)))
$$;

revoke execute on function memory.has_outdated_terms(int) from public, memory_service, memory_worker;
