-- Trigger of memories: keeps every text that a memory gets as a version of it, and notes when a text is published that was
-- in review before.
create or replace function memory.record_version() returns trigger
language plpgsql volatile set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' or (new.title, new.content) is distinct from (old.title, old.content) then
    insert into memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id, origin)
    values (new.team_id, new.id, new.version, new.layer_id, new.title, new.content, new.state = 'published',
            coalesce(claimed_user(), new.decided_by, new.created_by), new.origin);
  elsif new.state = 'published' and old.state <> 'published' then
    update memory_version v set published = true
     where v.team_id = new.team_id and v.memory_id = new.id and not v.published
       and v.version = (select max(l.version) from memory_version l
                         where l.team_id = new.team_id and l.memory_id = new.id);
  end if;
  return null;
end $$;

create or replace trigger record_version after insert or update on memory.memory_item
  for each row execute function memory.record_version();

revoke execute on function memory.record_version() from public, memory_service, memory_worker;
