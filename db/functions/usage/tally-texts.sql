-- Trigger: adds the changes of active sources to usage_tally: their number, their chunks and the bytes of their texts.
-- Those of due sources are not changes of a transaction: they count as archived, so archiving one makes no room for others.
create or replace function memory.tally_texts() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select a.team_id, 'texts', count(*), sum(a.chunk_count), sum(a.text_bytes)
        from added a where a.state = 'active' group by 1;
  elsif tg_op = 'DELETE' then
    insert into usage_tally (team_id, part, sources, chunks, bytes)
      select g.team_id, 'texts', -count(*), -sum(g.chunk_count), -sum(g.text_bytes)
        from gone g where g.state = 'active' group by 1;
  else
    insert into usage_tally (team_id, part, sources, chunks, bytes, xact)
      select c.team_id, 'texts', sum(c.sign), sum(c.sign * c.chunk_count), sum(c.sign * c.text_bytes),
             case when not c.due then pg_current_xact_id() end
        from (select g.team_id, g.chunk_count, g.text_bytes, -1 as sign, is_due(g.expires_at) as due
                from gone g where g.state = 'active'
              union all
              select a.team_id, a.chunk_count, a.text_bytes, 1, is_due(a.expires_at)
                from added a where a.state = 'active') c
       group by c.team_id, c.due
      having sum(c.sign) <> 0 or sum(c.sign * c.chunk_count) <> 0 or sum(c.sign * c.text_bytes) <> 0;
  end if;
  return null;
end $$;

create or replace trigger tally_texts_added after insert on memory.source referencing new table as added
  for each statement execute function memory.tally_texts();
create or replace trigger tally_texts_changed after update on memory.source
  referencing old table as gone new table as added
  for each statement execute function memory.tally_texts();
create or replace trigger tally_texts_gone after delete on memory.source referencing old table as gone
  for each statement execute function memory.tally_texts();

revoke execute on function memory.tally_texts() from public, memory_service, memory_worker;
