-- Ends storing the counts of a layer that lock_layer_counts began: stores how many chunks the layer has and how many of
-- them were counted. Then deletes the rows of layers without chunks, and sums up the layers of the Team.
create or replace function memory.end_layer_counts(
  p_layer uuid, p_chunks int,
  p_sampled int,              -- chunks that are counted, with those that are gone
  p_gone int,                 -- chunks that are counted and deleted since
  p_renewed int,              -- chunks of l.renewed that are counted with their new terms now
  p_members int[],            -- the hashes of the counted chunks that are not gone
  p_once_dims bytea, p_once_keys bytea, p_dim_shift int, p_key_shift int
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
begin
  update keyword_layer l
     set chunks = p_chunks, sampled = p_sampled, gone = p_gone, members = p_members, counted_at = now(),
         renewed = greatest(l.renewed - p_renewed, 0), version = l.version + 1,
         once_dims = p_once_dims, once_keys = p_once_keys
   where l.team_id = v_team and l.layer_id = p_layer;
  update keyword_team t set dim_shift = p_dim_shift, key_shift = p_key_shift where t.team_id = v_team;
  -- A layer without chunks frees its place.
  delete from keyword_layer l where l.team_id = v_team and l.chunks = 0;
  perform sum_layer_counts();
end $$;

revoke execute on function memory.end_layer_counts(uuid, int, int, int, int, int[], bytea, bytea, int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_layer_counts(uuid, int, int, int, int, int[], bytea, bytea, int, int) to memory_worker;
