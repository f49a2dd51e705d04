-- The planner expects 1,000 chunks of a Team, however many the statistics saw. If they were made when each Team had one chunk, it
-- expected one row of each Team; then an index that begins with the Team seemed as good as the key of a chunk, and looking up
-- thousands of chunks read all chunks of the Team for each.
alter table memory.chunk alter column team_id set (n_distinct = -0.001);
alter table memory.chunk_keyword alter column team_id set (n_distinct = -0.001);
alter table memory.chunk_embedding alter column team_id set (n_distinct = -0.001);
