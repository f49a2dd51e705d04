-- Deletes a source with its chunks, its sketch, the imports that it was made of, their files, and every stored answer that
-- contains it. Other sources with its text stay. The source of a workspace file, or of a memory that exists, is not
-- deleted. Returns the ids of the imports; null if the claims cannot write the layer of the source.
create or replace function memory.purge_source(p_source uuid) returns uuid[]
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
  v_imports uuid[];
begin
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
      and s.layer_id = any (writable_layers())
      and not exists (select from memory_item m where m.team_id = v_team and m.source_id = p_source)
    for update;
  if not found then
    return null;
  end if;
  -- All imports that change, in the order of their ids, to prevent a deadlock with the purge of another source.
  perform from import i
    where i.team_id = v_team
      and (i.source_id = p_source
           or i.near_duplicates <> '[]'
              and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source)))
    order by i.id for update;
  with gone as (
    delete from import i where i.team_id = v_team and i.source_id = p_source returning i.id
  )
  select coalesce(array_agg(id), '{}') into v_imports from gone;
  update import i
     set near_duplicates = (select coalesce(jsonb_agg(n), '[]') from jsonb_array_elements(i.near_duplicates) as n
                             where n ->> 'sourceId' <> p_source::text)
   where i.team_id = v_team and i.near_duplicates <> '[]'
     and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source));
  delete from source where team_id = v_team and id = p_source;
  perform choose_first_copies(array[p_source]);
  perform purge_records(v_imports || p_source);
  return v_imports;
end $$;

revoke execute on function memory.purge_source(uuid) from public, memory_service, memory_worker;
grant execute on function memory.purge_source(uuid) to memory_service;
