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
