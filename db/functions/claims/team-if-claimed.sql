-- Returns p_team if it is the Team of the claims, else null. A function that the service calls with the Team
-- as its first argument reads the Team through it: where Teams are distributed over several servers, the argument says
-- which server to ask, and the claims still say what may be read.
create or replace function memory.team_if_claimed(p_team uuid) returns uuid language sql stable
  return case when p_team = memory.claimed_team() then p_team end;

revoke execute on function memory.team_if_claimed(uuid) from public, memory_service, memory_worker;
