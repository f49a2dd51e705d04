-- Changes captures back to staged whose lease has expired, at most p_limit, in all Teams. Returns how many.
create or replace function memory.release_captures(p_limit int) returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with lapsed as (
    select c.team_id, c.id from memory.capture c
     where c.state = 'claimed' and c.leased_until <= now()
     order by c.leased_until limit p_limit for update skip locked
  ), released as (
    update memory.capture c set state = 'staged', batch_id = null, leased_until = null
      from lapsed l where c.team_id = l.team_id and c.id = l.id returning 1
  )
  select count(*)::int from released;
$$;

revoke execute on function memory.release_captures(int) from public, memory_service, memory_worker;
grant execute on function memory.release_captures(int) to memory_worker;
