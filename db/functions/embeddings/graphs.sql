-- Returns what must be done so that each large Team, and no other, has a graph of its vectors of the adopted model:
-- indexes to drop, and Teams to build one for. The vectors of a Team are estimated from the tallies: its chunks, without
-- those that wait for a vector. A graph is built for more than p_build vectors, and dropped at p_keep or fewer, so that a
-- Team of about that size does not get and lose it again and again. An index that is not valid is dropped, because only
-- an interrupted build leaves one: call this only while no graph is being built.
create or replace function memory.vector_graph_changes(p_build int, p_keep int)
returns table (index_name text, drops boolean, team_id uuid, model text, vectors bigint)
language plpgsql stable security definer set search_path = memory, public, pg_temp
as $$
begin
  return query
  with sized as materialized (
    select t.team_id as team, sum(case t.part when 'chunks' then t.n else -t.n end) as vectors
      from layer_tally t where t.part in ('chunks', 'pending')
     group by t.team_id
    having sum(case t.part when 'chunks' then t.n else -t.n end) > p_keep
  ), large as (
    select s.team, d.embedding_model as model, s.vectors, vector_graph_name(s.team, d.embedding_model) as name
      from sized s join identity.team t on t.id = s.team and t.deleted_at is null
      cross join deployment d
     where d.embedding_model is not null
  ), present as (
    select c.relname::text as name, i.indisvalid as is_valid
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'memory.chunk_embedding'::regclass and c.relname ~ '^chunk_embedding_c128_[0-9a-f]{32}_[0-9a-f]{8}$'
  )
  select p.name, true, null::uuid, null::text, null::bigint from present p
   where not p.is_valid or not exists (select from large l where l.name = p.name)
  union all
  select l.name, false, l.team, l.model, l.vectors from large l
   where l.vectors > p_build and not exists (select from present p where p.name = l.name and p.is_valid);
end $$;

revoke execute on function memory.vector_graph_changes(int, int) from public, memory_service, memory_worker;
grant execute on function memory.vector_graph_changes(int, int) to memory_worker;

-- Returns the name of the index with the graph of a Team's vectors of a model, which has only letters, digits and `_`. c128
-- is its ef_construction: change it when you change how a graph is built.
create or replace function memory.vector_graph_name(p_team uuid, p_model text) returns text
language sql stable
return 'chunk_embedding_c128_' || replace(p_team::text, '-', '') || '_' || left(md5(p_model), 8);

revoke execute on function memory.vector_graph_name(uuid, text) from public, memory_service, memory_worker;

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
