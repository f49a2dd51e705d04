-- Trigger: rejects every update, delete and truncate of audit events and of their seals. The one exception is what
-- memory.reseal_audit does while the audit of a Company is sealed again at the start of the service: the detail of an event
-- becomes its reduced detail, and the hash of a seal is replaced.
create or replace function memory.refuse_change() returns trigger
language plpgsql set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if exists (select from audit_reseal r where r.company_id = old.company_id) then
      if tg_table_name = 'audit_seal' then
        if to_jsonb(new) - 'hash' = to_jsonb(old) - 'hash' then
          return new;
        end if;
      elsif to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail'
            and new.detail - '{hitsHash,queryHash}'::text[] = reduced_detail(old.kind, old.detail) then
        return new;
      end if;
    end if;
  end if;
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
