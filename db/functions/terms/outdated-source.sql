-- Returns a source of the scope's Team whose terms are older than p_version, with the fields that its terms are to be made
-- with; no row without such a source.
create or replace function memory.outdated_source(p_version int) returns table (
  source_id uuid, title text, day text, labels text[]
)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select s.id, s.title, (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date::text,
         source_labels(s.tags, s.kind, s.metadata)
    from source s
   where s.team_id = claimed_team() and s.state = 'active' and s.terms_version < p_version limit 1
$$;

revoke execute on function memory.outdated_source(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_source(int) to memory_worker;
