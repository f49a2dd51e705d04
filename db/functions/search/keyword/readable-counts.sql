-- Part of weigh_query. Returns the counts of the layers that the caller can read.
create or replace function memory.readable_counts(
  p_layers uuid[],
  out chunks float8,                    -- the number of chunks; 1 if nothing was counted
  out sampled int,                      -- how many of the chunks were sampled
  out counted_at timestamptz,           -- when the oldest of the counts was made
  out dim_shift int, out key_shift int, -- by how many bits a term is shifted for its slice; null if nothing was counted
  out scales sparsevec,                 -- the scale of each layer, at the layer's place: see layer_scale
  out layer_places int[], out layer_scales real[],  -- the same as parallel arrays
  -- The same of all layers, or null if the layers outside have few chunks.
  out team_scales sparsevec, out team_places int[], out team_layer_scales real[]
)
language plpgsql stable
as $$
declare
  few constant int := 3000;             -- up to this many chunks outside of the scope can be read and discarded
  v_team constant uuid := claimed_team();
  v_reads_all boolean;                  -- whether the caller can read every counted layer
  v_team_chunks int;
begin
  -- A Team can have hundreds of clients. For a caller that can read all layers, the sums of the Team are used, and not
  -- the row of each layer. The number of layers is compared first, because their list is stored apart from the row.
  select t.chunks, t.sampled, t.counted_at, t.dim_shift, t.key_shift,
         t.scales, t.layer_places, t.layer_scales,
         case when t.layer_count <= cardinality(p_layers) then not exists (
           select from unnest(t.layers) l (layer_id) where l.layer_id not in (select unnest(p_layers))) end
    into chunks, sampled, counted_at, dim_shift, key_shift, scales, layer_places, layer_scales, v_reads_all
    from keyword_team t where t.team_id = v_team and t.chunks > 0;
  if found and v_reads_all is not true then
    -- Sums up the layers that the caller can read.
    v_team_chunks := chunks;
    team_scales := scales; team_places := layer_places; team_layer_scales := layer_scales;
    select sum(l.chunks), sum(l.sampled), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           array_agg(l.place order by l.place), array_agg(layer_scale(l.chunks, l.sampled) order by l.place)
      into chunks, sampled, counted_at, scales, layer_places, layer_scales
      from keyword_layer l where l.team_id = v_team and l.layer_id = any (p_layers) and l.chunks > 0;
    if v_team_chunks - coalesce(chunks, 0) <= few then
      team_scales := null; team_places := null; team_layer_scales := null;
    end if;
  end if;
  chunks := coalesce(chunks, 1);
  sampled := coalesce(sampled, 0);
end $$;

revoke execute on function memory.readable_counts(uuid[]) from public, memory_service, memory_worker;
