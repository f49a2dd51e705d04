-- A hundred thousand counts are replaced at once, and each looked its Team up: two thirds of the time of counting. They
-- go with the Team's row in keyword_team instead, which is written before them in the same transaction: a count that a
-- deletion of the Team has to wait for is seen by the trigger, and not by what the deletion did before.
alter table memory.keyword_df drop constraint keyword_df_team_id_fkey;

create function memory.forget_term_counts() returns trigger
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
begin
  delete from keyword_df d where d.team_id = old.team_id;
  return null;
end $$;
revoke execute on function memory.forget_term_counts() from public;

create trigger forget_term_counts after delete on memory.keyword_team
  for each row execute function memory.forget_term_counts();
