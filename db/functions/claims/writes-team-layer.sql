-- Only policies that migration 0037 replaces call it.
create or replace function memory.writes_team_layer() returns boolean language sql stable
  return coalesce(nullif(current_setting('app.writes_team', true), ''), 'false')::boolean;

revoke execute on function memory.writes_team_layer() from public, memory_service, memory_worker;
grant execute on function memory.writes_team_layer() to memory_service;
