-- Returns the layers, in all Teams, that have a chunk for which a vector can be made now: a pending chunk that is not
-- leased, and for which the model did not fail in the last day. The index is read once for each layer, from one layer to
-- the next, and not once for each pending chunk.
create or replace function memory.layers_without_vectors()
returns table (company_id uuid, team_id uuid, layer_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
  v_company uuid;
  v_layer uuid;
begin
  loop
    -- The next Team that has pending chunks.
    select p.team_id into v_team from embedding_pending p where p.team_id > v_team order by p.team_id limit 1;
    exit when not found;
    select t.company_id into v_company from identity.team t where t.id = v_team and t.deleted_at is null;
    continue when not found;
    v_layer := '00000000-0000-0000-0000-000000000000';
    loop
      -- The next layer of the Team.
      select p.layer_id into v_layer from embedding_pending p
       where p.team_id = v_team and p.layer_id > v_layer order by p.layer_id limit 1;
      exit when not found;
      if exists (select from embedding_pending p
                  where p.team_id = v_team and p.layer_id = v_layer
                    and (p.leased_until is null or p.leased_until <= now())
                    and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
        return query select v_company, v_team, v_layer;
      end if;
    end loop;
  end loop;
end $$;

revoke execute on function memory.layers_without_vectors() from public, memory_service, memory_worker;
grant execute on function memory.layers_without_vectors() to memory_worker;
