-- Whether vectors of this model are those that searches compare: a process of the version before, which may still run
-- for a while, must not take the marks of chunks and store vectors of another model.
create or replace function memory.is_adopted_model(p_model text) returns boolean
language sql stable security definer set search_path = memory, pg_temp
as $$
  select exists (select from memory.deployment where embedding_model = p_model);
$$;

revoke execute on function memory.is_adopted_model(text) from public;
grant execute on function memory.is_adopted_model(text) to memory_service;
