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
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[];
begin
  if not exists (select from keyword_team t where t.team_id = v_team and t.chunks > many) then
    return null;
  end if;
  v_ids := array(select k.chunk_id from unnest(v_layers) l (id)
                 -- Layer by layer, so that an index with layers selects each. A plan expects few rows between two values,
                 -- but as many equal ones as the mean layer has: then another index, of the whole Team, can seem cheaper.
                 cross join lateral (select c.chunk_id from chunk_keyword c
                                      where c.team_id = v_team and c.layer_id between l.id and l.id offset 0) k
                 limit most + 1);
  return case when cardinality(v_ids) <= most then v_ids end;
end $$;

revoke execute on function memory.small_scope_chunks() from public, memory_service, memory_worker;
