-- Part of search_candidates and of the explanation of a search. Returns the chunks of the scope's Team that no search
-- finds: those of sources that are loading, and of due sources that are not archived yet. If no source is like that,
-- which is usual, it returns null and has read only two empty parts of indexes. offset 0 makes the planner look up the
-- chunks of each such source.
create or replace function memory.hidden_chunks() returns uuid[]
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  return (
    select array_agg(c.id)
      from (select s.id from source s where s.team_id = v_team and s.state = 'loading'
            union all
            select s.id from source s where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)) h
      cross join lateral (select c.id from chunk c where c.team_id = v_team and c.source_id = h.id offset 0) c);
end $$;

revoke execute on function memory.hidden_chunks() from public, memory_service, memory_worker;
