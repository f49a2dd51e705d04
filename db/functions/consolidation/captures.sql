-- Returns those of some captures that a memory in review or a published memory refers to. Only memories of layers that the
-- claims can read count. The index of references is not used under row-level security.
create or replace function memory.evidence_captures(p_ids uuid[]) returns table (id uuid)
language sql stable security definer set search_path = memory, pg_temp
as $$
  select g.id from unnest(p_ids) as g (id)
   where exists (
     select from memory_item m
      where m.capture_ids @> array[g.id] and m.team_id = claimed_team()
        and state_now(m.state, m.expires_at) in ('review', 'published')
        and m.layer_id = any (readable_layers()));
$$;

revoke execute on function memory.evidence_captures(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.evidence_captures(uuid[]) to memory_service;

-- Locks the captures that a batch of the user holds, and returns their ids and layers. Runs as the owner, because
-- the user can have lost access to their layer since the batch was claimed.
create or replace function memory.lock_held_captures(p_batch uuid) returns table (id uuid, layer_id uuid)
language sql volatile security definer set search_path = memory, pg_temp
as $$
  select c.id, c.layer_id
    from memory.capture c
    join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.state = 'claimed'
   order by c.id for update of c;
$$;

revoke execute on function memory.lock_held_captures(uuid) from public, memory_service, memory_worker;
grant execute on function memory.lock_held_captures(uuid) to memory_service;

-- Deletes batches 30 days after their lease expired. Until then a repeated complete request gets the stored answer.
-- Returns how many batches were deleted.
create or replace function memory.prune_consolidation_batches() returns int
language sql volatile security definer set search_path = memory, pg_temp
as $$
  with gone as (
    delete from memory.consolidation_batch where expires_at < now() - interval '30 days' returning 1
  )
  select count(*)::int from gone;
$$;

revoke execute on function memory.prune_consolidation_batches() from public, memory_service, memory_worker;
grant execute on function memory.prune_consolidation_batches() to memory_worker;

-- Trigger of memories: keeps every text that a memory gets as a version of it, and notes when a text is published that was
-- in review before.
create or replace function memory.record_version() returns trigger
language plpgsql volatile set search_path = memory, pg_temp
as $$
begin
  if tg_op = 'INSERT' or (new.title, new.content) is distinct from (old.title, old.content) then
    insert into memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id, origin)
    values (new.team_id, new.id, new.version, new.layer_id, new.title, new.content, new.state = 'published',
            coalesce(claimed_user(), new.decided_by, new.created_by), new.origin);
  elsif new.state = 'published' and old.state <> 'published' then
    update memory_version v set published = true
     where v.team_id = new.team_id and v.memory_id = new.id and not v.published
       and v.version = (select max(l.version) from memory_version l
                         where l.team_id = new.team_id and l.memory_id = new.id);
  end if;
  return null;
end $$;

create or replace trigger record_version after insert or update on memory.memory_item
  for each row execute function memory.record_version();

revoke execute on function memory.record_version() from public, memory_service, memory_worker;

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

-- Changes captures back to staged that a batch of the user holds: because it was completed without them, or
-- because it was released. Runs as the owner, because the user can have lost write access to their layer since the batch
-- was claimed.
create or replace function memory.return_captures(p_batch uuid) returns void
language sql volatile security definer set search_path = memory, pg_temp
as $$
  update memory.capture c set state = 'staged', batch_id = null, leased_until = null
    from memory.consolidation_batch b
   where b.team_id = memory.claimed_team() and b.user_id = memory.claimed_user() and b.id = p_batch
     and c.team_id = b.team_id and c.batch_id = b.id and c.state = 'claimed';
$$;

revoke execute on function memory.return_captures(uuid) from public, memory_service, memory_worker;
grant execute on function memory.return_captures(uuid) to memory_service;
