-- Begins to store the counts of a layer: locks the Team's row until the transaction ends, so that another one that
-- counts waits, and adds the row of a new layer. Returns no row if the counts cannot be stored: the Team was deleted,
-- the layer was counted since p_version (null: it had no counts), or every place is in use, and the words of the layer
-- weigh as if they were not counted.
create or replace function memory.lock_layer_counts(p_layer uuid, p_version int)
returns table (place int, dim_shift int, key_shift int, once_dims bytea, once_keys bytea)
language plpgsql security definer set search_path = memory, pg_temp
as $$
declare
  most_layers constant int := 16000;    -- places in the vector of a term
  v_team constant uuid := claimed_team();
  v_place int;
  v_version int;
begin
  perform from keyword_team t where t.team_id = v_team for update;
  if not found then
    return;
  end if;
  select l.place, l.version into v_place, v_version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  if v_version is distinct from p_version then
    return;
  end if;
  if v_place is null then
    -- A new layer gets the next place, or, after the last place, the first one that is free.
    select coalesce(max(l.place), 0) + 1 into v_place from keyword_layer l where l.team_id = v_team;
    if v_place > most_layers then
      select min(n) into v_place from generate_series(1, most_layers) n
       where n not in (select l.place from keyword_layer l where l.team_id = v_team);
    end if;
    if v_place is null then
      return;
    end if;
    insert into keyword_layer (team_id, layer_id, place, chunks, sampled) values (v_team, p_layer, v_place, 0, 1);
  end if;
  return query
  select l.place, t.dim_shift::int, t.key_shift::int, l.once_dims, l.once_keys
    from keyword_team t join keyword_layer l on l.team_id = t.team_id
   where t.team_id = v_team and l.layer_id = p_layer;
end $$;

revoke execute on function memory.lock_layer_counts(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.lock_layer_counts(uuid, int) to memory_worker;
