-- Leases pending chunks of the layers that the claims can write: at most p_limit, the newest first, for p_seconds.
-- Chunks that another transaction has locked are skipped. The lease of a chunk that is already in this batch is
-- renewed. A chunk for which the model gave no vector is leased again after a day, or at once with p_refused_too. Sorts
-- and scans of the table are off, so that the marks are read from the end of their index with any statistics (the
-- embedded database has none). A sort of 100,000 marks took 2 s for each call.
create or replace function memory.lease_pending(p_batch uuid, p_limit int, p_seconds int, p_refused_too boolean)
returns table (chunk_id uuid, leased_until timestamptz)
language plpgsql volatile security definer rows 16
set search_path = memory, pg_temp
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_layers constant uuid[] := memory.writable_layers();
  v_condition text := 'p.layer_id = any ($2)';
  v_order text := 'p.team_id desc, p.chunk_id desc';
begin
  -- One layer only: its own condition and order fit the index that starts with the layer.
  if cardinality(v_layers) = 1 then
    v_condition := 'p.layer_id = $2[1]';
    v_order := 'p.team_id desc, p.layer_id desc, p.chunk_id desc';
  end if;
  return query execute format(
    'with free as (
       select p.team_id, p.chunk_id from embedding_pending p
        where p.team_id = $1 and %s
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $3)
          and ($6 or p.refused_at is null or p.refused_at < now() - interval ''1 day'')
          -- Excludes chunks of a source that is loading or due. A join could change the order in which rows are read.
          and ''active'' = (select state_now(s.state, s.expires_at) from source s where s.team_id = p.team_id and s.id = (
            select c.source_id from chunk c where c.team_id = p.team_id and c.id = p.chunk_id))
        order by %s limit $4 for update of p skip locked
     )
     update embedding_pending p set batch_id = $3, leased_until = now() + make_interval(secs => $5)
       from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
     returning p.chunk_id, p.leased_until', v_condition, v_order)
    using memory.claimed_team(), v_layers, p_batch, p_limit, p_seconds, p_refused_too;
end $$;

revoke execute on function memory.lease_pending(uuid, int, int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.lease_pending(uuid, int, int, boolean) to memory_service;
