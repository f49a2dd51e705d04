-- Returns how many records the layers of the claims have, by part, state and kind. Terms older than p_version are
-- outdated. A combination can occur in several rows, which the caller must sum. The figures are exact as of the
-- statement. The plan is kept for the connection, because planning takes longer than summing.
create or replace function memory.team_figures(p_version int) returns table (part text, state text, kind text, n bigint)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select t.part, t.state, t.kind, sum(t.n) from layer_tally t
   where t.team_id = v_team and t.layer_id = any (v_layers)
   group by 1, 2, 3 having sum(t.n) <> 0
  union all
  -- Subtracts the marks of sources that are loading, which no caller sees. Usually no source is loading.
  select 'pending', null, null, -count_pending(array_agg(s.id), array_agg(s.layer_id))
    from source s
   where s.team_id = v_team and s.state = 'loading'
     and s.layer_id = any (v_layers)
  union all
  -- Chunks whose terms a job makes again.
  select 'outdated', null, null, coalesce(sum(s.chunk_count), 0)
    from source s
   where s.team_id = v_team and s.state = 'active' and s.terms_version < p_version
     and s.layer_id = any (v_layers)
  union all
  -- A capture whose lease has expired counts as staged, even before release_captures changes its state.
  select 'captures', moved.state, null, moved.sign * lapsed.n
    from (select count(*) as n from capture c
           where c.team_id = v_team and c.state = 'claimed' and c.leased_until <= now()
             and c.layer_id = any (v_layers)) lapsed
   cross join (values ('claimed', -1), ('staged', 1)) as moved (state, sign)
  union all
  select * from due_figures(p_version);
end $$;

revoke execute on function memory.team_figures(int) from public, memory_service, memory_worker;
grant execute on function memory.team_figures(int) to memory_service;
