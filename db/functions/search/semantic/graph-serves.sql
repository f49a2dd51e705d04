-- Part of semantic_candidates. Returns whether the scope's Team has a graph of its vectors of the model, and the caller
-- can read each of its layers. A graph has the vectors of all layers: with a narrower scope, most of the nearest would
-- be discarded, and too few would be left.
create or replace function memory.graph_serves(p_layers uuid[], p_model text) returns boolean
language plpgsql stable security definer
set search_path = memory, public, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- An index that is being built, or whose build was interrupted, is not valid.
  if not exists (select from pg_index i
                  where i.indexrelid = to_regclass('memory.' || vector_graph_name(v_team, p_model)) and i.indisvalid) then
    return false;
  end if;
  return not exists (
    select from layer_tally t
     where t.team_id = v_team and t.part = 'chunks'
       and t.layer_id not in (select unnest(p_layers))
     group by t.layer_id having sum(t.n) > 0);
end $$;

revoke execute on function memory.graph_serves(uuid[], text) from public, memory_service, memory_worker;
