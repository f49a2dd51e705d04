-- Ends the count of a layer: keeps how many chunks it has, or deletes its row where it has none, and sums up the Team.
create or replace function memory.end_layer_counts(p_client uuid, p_chunks int, p_sampled int) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- The Team's row first: whoever counts another layer at the same time sums up after this one.
  perform from keyword_team t where t.team_id = v_team for update;
  -- Another worker may have counted the layer since, when it was not empty: then that one ends it.
  delete from keyword_layer l
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled = 0
     and l.dims = '{}' and l.keys = '{}';
  update keyword_layer l set chunks = p_chunks, sampled = p_sampled, counted_at = now()
   where l.team_id = v_team and l.client_id is not distinct from p_client and p_sampled > 0;
  update keyword_team t set (chunks, sampled, counted_at, scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(layer_scale(l.place, l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.client_id), '{}'), count(*)
      from keyword_layer l where l.team_id = v_team and l.chunks > 0)
   where t.team_id = v_team;
end $$;

revoke execute on function memory.end_layer_counts(uuid, int, int) from public;
grant execute on function memory.end_layer_counts(uuid, int, int) to memory_worker;
