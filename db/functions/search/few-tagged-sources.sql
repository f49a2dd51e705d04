-- Part of search_candidates. Returns the sources that have all of p_tags, of p_sources if these are not null; null if they
-- are many. The chunks of few sources are found by an index. Those of all others are read with the chunks of the Team.
create or replace function memory.few_tagged_sources(p_tags text[], p_sources uuid[]) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  most constant int := 1000;
  v_ids uuid[];
begin
  select coalesce(array_agg(t.id), '{}') into v_ids from (
    select s.id from source s
     -- The last condition is that of the index of sources with tags.
     where s.team_id = claimed_team() and s.tags @> p_tags and s.tags <> '{}'
       and (p_sources is null or s.id = any (p_sources))
     limit most + 1) t;
  return case when cardinality(v_ids) <= most then v_ids end;
end $$;

revoke execute on function memory.few_tagged_sources(text[], uuid[]) from public, memory_service, memory_worker;
