-- Only policies that migration 0037 replaces call it.
create or replace function memory.reads_team_layer() returns boolean language sql stable
  return coalesce(nullif(current_setting('app.reads_team', true), ''), 'false')::boolean;

revoke execute on function memory.reads_team_layer() from public, memory_service, memory_worker;
grant execute on function memory.reads_team_layer() to memory_service;
