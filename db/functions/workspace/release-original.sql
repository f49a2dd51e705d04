-- Trigger: when a source is deleted, or no longer has its original, deletes the original if no other source of the Team has
-- it. The content waits then for prune_workspace_blobs: see mark_waiting_blobs.
create or replace function memory.release_original() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  -- A statement of its own: the next one finds the source for which attach_original had locked the original.
  perform from original o where o.team_id = old.team_id and o.sha256 = old.original_sha256 for update;
  delete from original o
   where o.team_id = old.team_id and o.sha256 = old.original_sha256
     and not exists (select from source s where s.team_id = old.team_id and s.original_sha256 = old.original_sha256);
  return null;
end $$;

create or replace trigger original_gone after delete on memory.source for each row
  when (old.original_sha256 is not null) execute function memory.release_original();
create or replace trigger original_dropped after update of original_sha256 on memory.source for each row
  when (old.original_sha256 is not null and old.original_sha256 is distinct from new.original_sha256)
  execute function memory.release_original();
create or replace trigger mark_waiting_blobs after delete on memory.original referencing old table as gone
  for each statement execute function memory.mark_waiting_blobs();

revoke execute on function memory.release_original() from public, memory_service, memory_worker;
