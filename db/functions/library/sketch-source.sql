-- Stores the sketch of a source and compares it with the sketches of the other sources of its layer. Returns the sources
-- with the most bands in common, at most p_limit, and with each of them the signature of p_source as own. If p_bands is
-- null, the stored sketch is compared. If p_limit is 0, nothing is compared. Returns nothing if the claims cannot write
-- the layer of the source.
create or replace function memory.sketch_source(
  p_layer uuid,               -- the layer of the source
  p_source uuid, p_bands int[], p_signature bytea, p_limit int
) returns table (source_id uuid, signature bytea, own bytea)
language plpgsql volatile security definer
set search_path = memory, pg_temp
-- Plans that are made once: making them took longer than the rest, also that of the check of the foreign key.
set plan_cache_mode = force_generic_plan
-- Without statistics of the bands the planner would read every sketch.
set enable_seqscan = off
as $$
declare
  -- Sources that are ordered by their bands at most: a letter can be stored a hundred thousand times with other names.
  compared_cap constant int := 2000;
  v_team constant uuid := claimed_team();
  v_bands int[] := p_bands;
  v_signature bytea := p_signature;
begin
  if not p_layer = any (writable_layers()) then
    return;
  end if;
  if p_bands is null then
    select k.bands, k.signature into v_bands, v_signature from source_sketch k
     where k.team_id = v_team and k.source_id = p_source and k.layer_id = p_layer;
  else
    insert into source_sketch (team_id, layer_id, source_id, bands, signature)
    values (v_team, p_layer, p_source, p_bands, p_signature)
    on conflict on constraint source_sketch_pkey do update set bands = excluded.bands, signature = excluded.signature
      where source_sketch.bands <> excluded.bands or source_sketch.signature <> excluded.signature;
  end if;
  if p_limit = 0 then
    return;
  end if;
  return query
  -- offset 0 makes the planner use only the index of bands, as in score_by_key. Bands are hashed with the Team.
  select l.source_id, l.signature, v_signature
    from (select k.source_id, k.signature, k.bands
            from (select c.team_id, c.layer_id, c.source_id, c.signature, c.bands from source_sketch c
                   where c.bands && v_bands offset 0) k
           where k.team_id = v_team and k.layer_id = p_layer and k.source_id <> p_source
           limit compared_cap) l
   order by (select count(*) from unnest(l.bands, v_bands) as b (one, other) where b.one = b.other) desc,
            l.source_id desc
   limit p_limit;
end $$;

revoke execute on function memory.sketch_source(uuid, uuid, int[], bytea, int) from public, memory_service, memory_worker;
grant execute on function memory.sketch_source(uuid, uuid, int[], bytea, int) to memory_service;
