-- Returns whether searches compare vectors of this model. During an upgrade a process with the earlier model can still
-- run. It must not lease chunks and store vectors of that model.
create or replace function memory.is_adopted_model(p_model text) returns boolean
language sql stable security definer set search_path = memory, pg_temp
as $$
  select exists (select from memory.deployment where embedding_model = p_model);
$$;

revoke execute on function memory.is_adopted_model(text) from public, memory_service, memory_worker;
grant execute on function memory.is_adopted_model(text) to memory_service;
