-- Ends the count of a layer: stores how many chunks the layer has and how many of them were sampled, or deletes the row
-- of a layer without chunks. Then sums up the layers of the Team. p_client is null for the Team layer.
create or replace function memory.end_layer_counts(p_client uuid, p_chunks int, p_sampled int) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Locks the Team's row first, so that a transaction that counts another layer sums up after this one.
  perform from keyword_team t where t.team_id = v_team for update;
  -- Only if the layer has no counts: another worker can have counted it since then, when it was no longer empty, and
  -- that worker ends the count.
  delete from keyword_layer l
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled = 0
     and l.dims = '{}' and l.keys = '{}';
  update keyword_layer l set chunks = p_chunks, sampled = p_sampled, counted_at = now(), renewed = 0
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled > 0;
  update keyword_team t set (chunks, sampled, counted_at, scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(layer_scale(l.place, l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.client_id), '{}'), count(*)
      from keyword_layer l where l.team_id = v_team and l.chunks > 0)
   where t.team_id = v_team;
end $$;

revoke execute on function memory.end_layer_counts(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_layer_counts(uuid, int, int) to memory_worker;
