-- Trigger: deletes the term counts of a Team with the Team's row of word counts.
create or replace function memory.delete_term_counts() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  delete from keyword_df d where d.team_id = old.team_id;
  return null;
end $$;

create or replace trigger delete_term_counts after delete on memory.keyword_team
  for each row execute function memory.delete_term_counts();

revoke execute on function memory.delete_term_counts() from public, memory_service, memory_worker;
