-- Trigger: adds the number of inserted or deleted marks of pending chunks to layer_tally. An update changes no figure:
-- move_chunks, which moves marks to another layer, counts them itself.
create or replace function memory.tally_pending() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  insert into layer_tally (team_id, layer_id, part, n)
    select m.team_id, m.layer_id, 'pending', case tg_op when 'INSERT' then count(*) else -count(*) end
      from moved m group by 1, 2;
  return null;
end $$;

create or replace trigger tally_added after insert on memory.embedding_pending referencing new table as moved
  for each statement execute function memory.tally_pending();
create or replace trigger tally_gone after delete on memory.embedding_pending referencing old table as moved
  for each statement execute function memory.tally_pending();

revoke execute on function memory.tally_pending() from public, memory_service, memory_worker;
