-- Part of end_layer_counts. Sums up the counted layers of the scope's Team in its row of keyword_team.
create or replace function memory.sum_layer_counts() returns void
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
begin
  update keyword_team t set (chunks, sampled, counted_at, scales, layer_places, layer_scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.place order by l.place), '{}'),
           coalesce(array_agg(layer_scale(l.chunks, l.sampled) order by l.place), '{}'),
           coalesce(array_agg(l.layer_id), '{}'), count(*)
      from keyword_layer l where l.team_id = t.team_id and l.chunks > 0)
   where t.team_id = claimed_team();
end $$;

revoke execute on function memory.sum_layer_counts() from public, memory_service, memory_worker;
