-- Part of replace_layer_counts. Returns the place of a layer in the vector of each term, and its stored counts: the
-- terms and the count of each. Adds a new layer, without counts. place is null if every place is in use. p_client is
-- null for the Team layer, and p_space is 'd' for dimensions, 'k' for keys.
create or replace function memory.counted_layer(
  p_client uuid, p_space text,
  out place int, out terms int[], out counts int[]
)
language plpgsql
as $$
declare
  most_layers constant int := 16000;    -- places in the vector of a term
  v_team constant uuid := claimed_team();
begin
  select l.place, case p_space when 'd' then l.dims else l.keys end,
         case p_space when 'd' then l.dim_counts else l.key_counts end
    into place, terms, counts
    from keyword_layer l where l.team_id = v_team and l.client_id is not distinct from p_client;
  if found then
    return;
  end if;
  -- A new layer gets the next place, or, after the last place, the first one that is free.
  select coalesce(max(l.place), 0) + 1 into place from keyword_layer l where l.team_id = v_team;
  if place > most_layers then
    select min(n) into place from generate_series(1, most_layers) n
     where n not in (select l.place from keyword_layer l where l.team_id = v_team);
  end if;
  if place is not null then
    insert into keyword_layer (team_id, client_id, place, chunks, sampled, dims, dim_counts, keys, key_counts)
      values (v_team, p_client, place, 0, 1, '{}', '{}', '{}', '{}');
  end if;
end $$;

revoke execute on function memory.counted_layer(uuid, text) from public, memory_service, memory_worker;
