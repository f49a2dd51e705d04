-- Returns the state of a source or a memory as callers see it: a due record is archived. A source that is loading and a
-- memory that was discarded do not expire.
create or replace function memory.state_now(p_state text, p_expires_at timestamptz) returns text
language sql stable parallel safe
as $$
  select case when p_state in ('active', 'review', 'published') and memory.is_due(p_expires_at) then 'archived'
              else p_state end
$$;

revoke execute on function memory.state_now(text, timestamptz) from public, memory_service, memory_worker;
grant execute on function memory.state_now(text, timestamptz) to memory_service;
