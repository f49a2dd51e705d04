-- Part of keyword_candidates and score_pass. Returns whether the claims can read at most p_most chunks. Counts no
-- further than p_most + 1: an index scan stops there, but a bitmap scan would first read all rows. score_pass turns
-- index scans off, also for the functions that it calls, so they are turned on here.
create or replace function memory.scope_holds_at_most(p_most int)
returns boolean
language sql stable security definer
set search_path = memory, public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_indexscan = on
set enable_indexonlyscan = on
as $$
  select count(*) <= p_most
    from (select from unnest(readable_layers()) l (id)
           -- Layer by layer, as in small_scope_chunks.
           cross join lateral (select from chunk_keyword c
                                where c.team_id = (select claimed_team()) and c.layer_id between l.id and l.id offset 0) c
           limit p_most + 1) c
$$;

revoke execute on function memory.scope_holds_at_most(int) from public, memory_service, memory_worker;
