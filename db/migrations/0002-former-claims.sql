-- Policies of before schema-1 called them.
drop function if exists memory.readable_clients();
drop function if exists memory.reads_team_layer();
drop function if exists memory.writable_clients();
drop function if exists memory.writes_team_layer();
