-- Callers see when a source changed in milliseconds, and compare it to know whether the source has changed since. So every
-- change is shown in a later millisecond than the one before, also if its transaction began earlier.
create or replace function memory.advance_updated_at() returns trigger
language plpgsql
set search_path = memory, pg_temp
as $$
begin
  new.updated_at := greatest(new.updated_at, date_trunc('milliseconds', old.updated_at) + interval '1 millisecond');
  return new;
end $$;

revoke execute on function memory.advance_updated_at() from public, memory_service, memory_worker;

create or replace trigger advance_updated_at before update of updated_at on memory.source for each row
  when (old.state <> 'loading' and new.updated_at = now()) execute function memory.advance_updated_at();
