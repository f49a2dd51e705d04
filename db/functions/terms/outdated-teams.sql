-- Returns the Teams that have a source whose terms are older than p_version. The index is read once for each Team, from
-- one Team to the next, and not once for each source.
create or replace function memory.outdated_teams(p_version int) returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_team uuid;
begin
  for v_version in 0 .. p_version - 1 loop
    v_team := '00000000-0000-0000-0000-000000000000';
    loop
      select s.team_id into v_team from source s
       where s.state = 'active' and s.terms_version = v_version and s.team_id > v_team order by s.team_id limit 1;
      exit when not found;
      return query select t.company_id, t.id from identity.team t where t.id = v_team and t.deleted_at is null;
    end loop;
  end loop;
end $$;

revoke execute on function memory.outdated_teams(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_teams(int) to memory_worker;
