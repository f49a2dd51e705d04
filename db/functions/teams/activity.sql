-- Part of seal_audit and team_activity_since. Returns what these events of a Company count for, by Team, day in UTC and agent
-- token. offset 0 makes the planner look up each event: without statistics, it would read all events of the Company.
create or replace function memory.count_events(p_company uuid, p_events uuid[])
returns table (team_id uuid, day date, token_id uuid, searches int, searches_without_hit int, ingested int, imported int,
  captured int, published int, feedback int, writes int)
language sql stable
set search_path = memory, pg_temp
as $$
  select e.team_id, (e.at at time zone 'UTC')::date, coalesce(e.token_id, '00000000-0000-0000-0000-000000000000'),
         (count(*) filter (where e.kind = 'memory.search'))::int,
         (count(*) filter (where e.kind = 'memory.search' and s.hit_ids = '{}'))::int,
         (count(*) filter (where e.kind in ('memory.ingest', 'memory.replace')))::int,
         (count(*) filter (where e.kind = 'memory.import_complete'))::int,
         (count(*) filter (where e.kind = 'memory.capture'))::int,
         (count(*) filter (where e.kind = 'memory.publish'))::int,
         (count(*) filter (where e.kind = 'memory.feedback'))::int,
         (count(*) filter (where e.kind <> 'memory.search'))::int
    from unnest(p_events) i (id)
    cross join lateral (select * from audit_event e where e.company_id = p_company and e.id = i.id offset 0) e
    join identity.team t on t.id = e.team_id and t.deleted_at is null
    left join lateral (select q.hit_ids from audit_search q
                        where e.kind = 'memory.search' and q.team_id = e.team_id and q.event_id = e.id offset 0) s on true
   group by 1, 2, 3
$$;

revoke execute on function memory.count_events(uuid, uuid[]) from public, memory_service, memory_worker;

-- Adds what these events of a Company count for. Called in the transaction that seals them, so that each counts once.
create or replace function memory.add_events(p_company uuid, p_events uuid[]) returns void
language sql volatile
set search_path = memory, pg_temp
as $$
  insert into team_activity as a (team_id, day, token_id, searches, searches_without_hit, ingested, imported, captured,
      published, feedback, writes)
  select * from count_events(p_company, p_events) c order by c.team_id, c.day, c.token_id
  on conflict (team_id, day, token_id) do update
    set searches = a.searches + excluded.searches,
        searches_without_hit = a.searches_without_hit + excluded.searches_without_hit,
        ingested = a.ingested + excluded.ingested, imported = a.imported + excluded.imported,
        captured = a.captured + excluded.captured, published = a.published + excluded.published,
        feedback = a.feedback + excluded.feedback, writes = a.writes + excluded.writes
$$;

revoke execute on function memory.add_events(uuid, uuid[]) from public, memory_service, memory_worker;

-- Adds how often texts were read, and how many characters were returned, today: [{ team, token, opened, characters }].
create or replace function memory.add_reads(p_reads jsonb) returns void
language sql volatile security definer
set search_path = memory, pg_temp
as $$
  insert into team_activity as a (team_id, day, token_id, opened, characters_returned)
  select t.id, (now() at time zone 'UTC')::date, coalesce(r.token, '00000000-0000-0000-0000-000000000000'), r.opened, r.characters
    from jsonb_to_recordset(p_reads) as r (team uuid, token uuid, opened int, characters bigint)
    join identity.team t on t.id = r.team and t.deleted_at is null
   order by 1, 2, 3
  on conflict (team_id, day, token_id) do update
    set opened = a.opened + excluded.opened, characters_returned = a.characters_returned + excluded.characters_returned
$$;

revoke execute on function memory.add_reads(jsonb) from public, memory_service, memory_worker;
grant execute on function memory.add_reads(jsonb) to memory_worker;

-- Returns the use of the Team of the claims since a day, by day and agent token, with
-- the first events that wait to be sealed: if the worker has stopped for long, the last ones are missing.
create or replace function memory.team_activity_since(p_day date)
returns table (day date, token_id uuid, searches int, searches_without_hit int, opened int, ingested int, imported int,
  captured int, published int, feedback int, writes int, characters_returned bigint)
language sql stable security definer
set search_path = memory, pg_temp
as $$
  select a.day, a.token_id, a.searches, a.searches_without_hit, a.opened, a.ingested, a.imported, a.captured, a.published,
         a.feedback, a.writes, a.characters_returned
    from team_activity a where a.team_id = claimed_team() and a.day >= p_day
  union all
  select c.day, c.token_id, c.searches, c.searches_without_hit, 0, c.ingested, c.imported, c.captured, c.published, c.feedback,
         c.writes, 0
    from count_events(claimed_company(), array(
           select u.event_id from audit_unsealed u where u.company_id = claimed_company()
            order by u.event_id limit 10000)) c
   where c.team_id = claimed_team() and c.day >= p_day
$$;

revoke execute on function memory.team_activity_since(date) from public, memory_service, memory_worker;
grant execute on function memory.team_activity_since(date) to memory_service;
