-- Trigger: when versions of files or originals are deleted, marks their contents as waiting for prune_workspace_blobs. The
-- contents are not deleted at once: a pull that has read a version can still be about to read its content, and a push or
-- an import that has stored the same content can be about to refer to it.
create or replace function memory.mark_waiting_blobs() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
begin
  -- Locks the contents in the order of their keys, as keep_workspace_blobs does, to prevent a deadlock between the two.
  perform from workspace_blob b
    where (b.company_id, b.sha256) in (select g.company_id, g.sha256 from gone g)
    order by b.company_id, b.sha256 for no key update;
  update workspace_blob b set waiting_since = now()
    from (select distinct g.company_id, g.sha256 from gone g where g.sha256 is not null) g
   where b.company_id = g.company_id and b.sha256 = g.sha256;
  return null;
end $$;

create or replace trigger mark_waiting_blobs after delete on memory.workspace_version referencing old table as gone
  for each statement execute function memory.mark_waiting_blobs();

revoke execute on function memory.mark_waiting_blobs() from public, memory_service, memory_worker;
