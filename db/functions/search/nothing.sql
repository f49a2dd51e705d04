-- For a search without hits. Returns which of the keys occur in the chunks within the claims, without hidden_chunks.
create or replace function memory.known_keys(p_keys int[]) returns int[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_indexscan = off
set work_mem = '64MB'
as $$
declare
  few constant int := 500;              -- so many chunks are read first: all of a small scope
  step constant int := 200;             -- then so many of those with a key are read at once
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_hidden constant uuid[] := hidden_chunks();
  v_known int[];
  v_left int[];
  v_found int[];
begin
  v_known := array(
    select distinct k.key
      from (select c.chunk_id, c.keys from chunk_keyword c
             where c.team_id = v_team and c.layer_id = any (v_layers) limit few) c
     cross join lateral unnest(c.keys) k (key)
     where k.key in (select unnest(p_keys)) and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden))));
  if scope_holds_at_most(few) then
    return v_known;
  end if;
  -- The others are rare. Each step finds at least one of them.
  loop
    v_left := array(select unnest(p_keys) except select unnest(v_known));
    -- offset 0 makes the planner use only the index of keys, as in count_candidates.
    v_found := array(
      select distinct k.key
        from (select c.keys
                from (select a.team_id, a.layer_id, a.chunk_id, a.keys from chunk_keyword a
                       where a.keys && v_left offset 0) c
               where c.team_id = v_team and c.layer_id = any (v_layers)
                 and (v_hidden is null or c.chunk_id not in (select unnest(v_hidden)))
               limit step) c
       cross join lateral unnest(c.keys) k (key)
       where k.key in (select unnest(v_left)));
    exit when cardinality(v_found) = 0;
    v_known := v_known || v_found;
  end loop;
  return v_known;
end $$;

revoke execute on function memory.known_keys(int[]) from public, memory_service, memory_worker;
grant execute on function memory.known_keys(int[]) to memory_service;

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
