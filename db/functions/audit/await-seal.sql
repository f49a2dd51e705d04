-- Trigger: notes each new audit event as unsealed, so that seal_audit finds it.
create or replace function memory.await_seal() returns trigger
language plpgsql security definer set search_path = memory, pg_temp
as $$
begin
  insert into audit_unsealed (company_id, event_id) values (new.company_id, new.id);
  return null;
end $$;

create or replace trigger await_seal after insert on memory.audit_event
  for each row execute function memory.await_seal();

revoke execute on function memory.await_seal() from public, memory_service, memory_worker;
