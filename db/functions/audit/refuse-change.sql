-- Trigger: rejects every update, delete and truncate of audit events and of their seals.
create or replace function memory.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end $$;

create or replace trigger append_only before update or delete on memory.audit_event
  for each row execute function memory.refuse_change();
create or replace trigger append_only_truncate before truncate on memory.audit_event
  for each statement execute function memory.refuse_change();
create or replace trigger append_only before update or delete on memory.audit_seal
  for each row execute function memory.refuse_change();
create or replace trigger append_only_truncate before truncate on memory.audit_seal
  for each statement execute function memory.refuse_change();

revoke execute on function memory.refuse_change() from public, memory_service, memory_worker;
