-- Returns the layers, in all Teams that are not deleted, that have a due record which is not archived yet. Reads
-- the indexes from one Team to the next, and not once for each record that can expire.
create or replace function memory.due_layers() returns table (company_id uuid, team_id uuid, layer_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set enable_seqscan = off
set enable_sort = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select least(
        (select s.team_id from source s
          where s.team_id > v_team and s.state = 'active' and s.expires_at is not null order by s.team_id limit 1),
        (select m.team_id from memory_item m
          where m.team_id > v_team and m.state = 'review' and m.expires_at is not null order by m.team_id limit 1))
      into v_team;
    exit when v_team is null;
    return query
    select t.company_id, t.id, d.layer_id
      from identity.team t
      join (select s.layer_id from source s
             where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
            union
            select m.layer_id from memory_item m
             where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)) d on true
     where t.id = v_team and t.deleted_at is null;
  end loop;
end $$;

revoke execute on function memory.due_layers() from public, memory_service, memory_worker;
grant execute on function memory.due_layers() to memory_worker;
