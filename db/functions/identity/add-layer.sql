-- Trigger: adds the Team layer with a new Team, and the layer of a client with a new client. A source or an import can only
-- be in such a layer.
create or replace function identity.add_layer() returns trigger
language plpgsql security definer set search_path = identity, pg_temp
as $$
begin
  if tg_table_name = 'team' then
    insert into layer (company_id, team_id, id) values (new.company_id, new.id, new.id);
  else
    insert into layer (company_id, team_id, id) values (new.company_id, new.team_id, new.id);
  end if;
  return null;
end $$;

create or replace trigger add_layer after insert on identity.team for each row execute function identity.add_layer();
create or replace trigger add_layer after insert on identity.client for each row execute function identity.add_layer();

revoke execute on function identity.add_layer() from public, memory_service, memory_worker;
