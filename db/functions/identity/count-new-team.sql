-- Trigger: inserts the row of word counts of a new Team. The statements that count words lock this row.
create or replace function identity.count_new_team() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into keyword_team (team_id) values (new.id) on conflict do nothing;
  return null;
end $$;

create or replace trigger counted after insert on identity.team
  for each row execute function identity.count_new_team();

revoke execute on function identity.count_new_team() from public, memory_service, memory_worker;
