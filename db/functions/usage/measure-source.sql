-- Trigger: measures the texts of a source when its number of chunks is written. Its chunks must be written before.
create or replace function memory.measure_source() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  new.text_bytes := 0;
  if new.chunk_count > 0 then
    select coalesce(sum(own_bytes(c.text, c.repeated)), 0) into new.text_bytes
      from chunk c where c.team_id = new.team_id and c.source_id = new.id;
  end if;
  return new;
end $$;

create or replace trigger measure before update of chunk_count on memory.source
  for each row execute function memory.measure_source();

revoke execute on function memory.measure_source() from public, memory_service, memory_worker;
