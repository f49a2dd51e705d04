-- Part of team_figures. Returns what due records change in the figures of the claims' layers: they count as archived,
-- even before a job archives them. The part expired is how many are still to be archived.
create or replace function memory.due_figures(p_version int)
returns table (part text, state text, kind text, n bigint)
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
  with source_due as materialized (
    select s.id, s.layer_id, s.kind, s.chunk_count, s.terms_version from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
       and s.layer_id = any (v_layers)
  ), item_due as materialized (
    select m.id from memory_item m
     where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)
       and m.layer_id = any (v_layers)
  )
  select 'sources', moved.state, d.kind, moved.sign * count(*)
    from source_due d cross join (values ('active', -1), ('archived', 1)) as moved (state, sign) group by 2, 3, moved.sign
  union all
  select 'chunks', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d
  union all
  select 'outdated', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d where d.terms_version < p_version
  union all
  select 'pending', null, null, -count_pending(array_agg(d.id), array_agg(d.layer_id)) from source_due d
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from source_due d cross join (values ('published', -1), ('archived', 1)) as moved (state, sign)
   where d.kind = 'memory' group by 2, moved.sign
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from item_due d cross join (values ('review', -1), ('archived', 1)) as moved (state, sign) group by 2, moved.sign
  union all
  select 'expired', null, null, (select count(*) from source_due) + (select count(*) from item_due);
end $$;

revoke execute on function memory.due_figures(int) from public, memory_service, memory_worker;
