-- Part of search_candidates. Returns the places, in p_chunks, of the first p_limit chunks that pass a filter and whose
-- source is active. Looks the chunks up in their order, some at once, and stops when enough have passed. The chunks
-- must be within the scope.
create or replace function memory.first_passing(
  p_chunks uuid[],
  p_filter record,            -- the result of choose_filter
  p_limit int
) returns int[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
-- Only look-ups by the primary keys, with any statistics.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexscan = on
set enable_nestloop = on
as $$
declare
  v_team constant uuid := claimed_team();
  v_places int[] := '{}';
  v_from int := 1;
  v_slice int := p_limit * 2;           -- chunks that are looked up at once
begin
  while cardinality(v_places) < p_limit and v_from <= cardinality(p_chunks) loop
    v_places := v_places || array(
      select v_from - 1 + n.nth::int
        from unnest(p_chunks[v_from : v_from + v_slice - 1]) with ordinality n (id, nth)
       where (select (p_filter.since is null or c.created_at >= p_filter.since)
                     and (p_filter.until is null or c.created_at < p_filter.until)
                     and (p_filter.sources is null or c.source_id = any (p_filter.sources))
                     and s.state = 'active' and not is_due(s.expires_at)
                     and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                     and (p_filter.tags is null or s.tags @> p_filter.tags)
                     and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                           p_filter.occurred_after, p_filter.occurred_before)
                from chunk c join source s on s.team_id = c.team_id and s.id = c.source_id
               where c.team_id = v_team and c.id = n.id)
       order by n.nth);
    v_from := v_from + v_slice;
  end loop;
  return v_places[1 : p_limit];
end $$;

revoke execute on function memory.first_passing(uuid[], record, int) from public, memory_service, memory_worker;
