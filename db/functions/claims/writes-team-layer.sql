-- Returns whether the transaction can write the Team layer, or false outside a transaction with claims. Row-level
-- security reads it.
create or replace function memory.writes_team_layer() returns boolean language sql stable
  return coalesce(nullif(current_setting('app.writes_team', true), ''), 'false')::boolean;

revoke execute on function memory.writes_team_layer() from public, memory_service, memory_worker;
grant execute on function memory.writes_team_layer() to memory_service;
