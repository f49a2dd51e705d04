-- Returns the layers, in all Teams that are not deleted, that have a due record which is not archived yet. Reads
-- the indexes from one Team to the next, and not once for each record that can expire.
create or replace function memory.due_layers() returns table (company_id uuid, team_id uuid, layer_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set enable_seqscan = off
set enable_sort = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    select least(
        (select s.team_id from source s
          where s.team_id > v_team and s.state = 'active' and s.expires_at is not null order by s.team_id limit 1),
        (select m.team_id from memory_item m
          where m.team_id > v_team and m.state = 'review' and m.expires_at is not null order by m.team_id limit 1))
      into v_team;
    exit when v_team is null;
    return query
    select t.company_id, t.id, d.layer_id
      from identity.team t
      join (select s.layer_id from source s
             where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
            union
            select m.layer_id from memory_item m
             where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)) d on true
     where t.id = v_team and t.deleted_at is null;
  end loop;
end $$;

revoke execute on function memory.due_layers() from public, memory_service, memory_worker;
grant execute on function memory.due_layers() to memory_worker;

-- Returns whether one of the moments of a source's date is within bounds, which are inclusive; null does not restrict it.
-- The date is when it happened, else when the source was created. A day lasts 24 hours from p_at. Times are compared in
-- milliseconds, as callers see them. It is inlined, and the index on the date serves it.
create or replace function memory.is_dated_within(
  p_at timestamptz,           -- coalesce(occurred_at, created_at)
  p_is_day boolean,           -- occurred_is_day
  p_after timestamptz, p_before timestamptz
) returns boolean
language sql stable parallel safe
as $$
  select (p_after is null
          or (p_at > p_after - interval '24 hours' and (p_at >= p_after or coalesce(p_is_day, false))))
         and (p_before is null or p_at < p_before + interval '1 millisecond')
$$;

revoke execute on function memory.is_dated_within(timestamptz, boolean, timestamptz, timestamptz) from public, memory_service, memory_worker;
grant execute on function memory.is_dated_within(timestamptz, boolean, timestamptz, timestamptz) to memory_service;

-- Returns whether a record with this expiry counts as archived now. Every rule about expiry calls this function. It is
-- inlined, and the partial indexes on expires_at serve it.
create or replace function memory.is_due(p_expires_at timestamptz) returns boolean
language sql stable parallel safe
as $$
  select p_expires_at is not null and p_expires_at <= now()
$$;

revoke execute on function memory.is_due(timestamptz) from public, memory_service, memory_worker;
grant execute on function memory.is_due(timestamptz) to memory_service;

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
