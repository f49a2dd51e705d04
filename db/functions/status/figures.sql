-- Returns how many records the layers of the claims have, by part, state and kind. Terms older than p_version are
-- outdated. A combination can occur in several rows, which the caller must sum. The figures are exact as of the
-- statement. The plan is kept for the connection, because planning takes longer than summing.
create or replace function memory.team_figures(p_version int) returns table (part text, state text, kind text, n bigint)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select t.part, t.state, t.kind, sum(t.n) from layer_tally t
   where t.team_id = v_team and t.layer_id = any (v_layers)
   group by 1, 2, 3 having sum(t.n) <> 0
  union all
  -- Subtracts the marks of sources that are loading, which no caller sees. Usually no source is loading.
  select 'pending', null, null, -count_pending(array_agg(s.id), array_agg(s.layer_id))
    from source s
   where s.team_id = v_team and s.state = 'loading'
     and s.layer_id = any (v_layers)
  union all
  -- Chunks whose terms a job makes again.
  select 'outdated', null, null, coalesce(sum(s.chunk_count), 0)
    from source s
   where s.team_id = v_team and s.state = 'active' and s.terms_version < p_version
     and s.layer_id = any (v_layers)
  union all
  -- A capture whose lease has expired counts as staged, even before release_captures changes its state.
  select 'captures', moved.state, null, moved.sign * lapsed.n
    from (select count(*) as n from capture c
           where c.team_id = v_team and c.state = 'claimed' and c.leased_until <= now()
             and c.layer_id = any (v_layers)) lapsed
   cross join (values ('claimed', -1), ('staged', 1)) as moved (state, sign)
  union all
  select * from due_figures(p_version);
end $$;

revoke execute on function memory.team_figures(int) from public, memory_service, memory_worker;
grant execute on function memory.team_figures(int) to memory_service;

-- Part of team_figures. Returns what due records change in the figures of the claims' layers: they count as archived,
-- even before a job archives them. The part expired is how many are still to be archived.
create or replace function memory.due_figures(p_version int)
returns table (part text, state text, kind text, n bigint)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  with source_due as materialized (
    select s.id, s.layer_id, s.kind, s.chunk_count, s.terms_version from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at)
       and s.layer_id = any (v_layers)
  ), item_due as materialized (
    select m.id from memory_item m
     where m.team_id = v_team and m.state = 'review' and is_due(m.expires_at)
       and m.layer_id = any (v_layers)
  )
  select 'sources', moved.state, d.kind, moved.sign * count(*)
    from source_due d cross join (values ('active', -1), ('archived', 1)) as moved (state, sign) group by 2, 3, moved.sign
  union all
  select 'chunks', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d
  union all
  select 'outdated', null, null, -coalesce(sum(d.chunk_count), 0) from source_due d where d.terms_version < p_version
  union all
  select 'pending', null, null, -count_pending(array_agg(d.id), array_agg(d.layer_id)) from source_due d
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from source_due d cross join (values ('published', -1), ('archived', 1)) as moved (state, sign)
   where d.kind = 'memory' group by 2, moved.sign
  union all
  select 'memories', moved.state, null, moved.sign * count(*)
    from item_due d cross join (values ('review', -1), ('archived', 1)) as moved (state, sign) group by 2, moved.sign
  union all
  select 'expired', null, null, (select count(*) from source_due) + (select count(*) from item_due);
end $$;

revoke execute on function memory.due_figures(int) from public, memory_service, memory_worker;

-- Returns the ids of the latest failed imports in the layers of the claims, newest first. Reads at most p_limit imports
-- of each layer, so that failures in other layers do not slow it down.
create or replace function memory.latest_failures(p_limit int) returns setof uuid
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
begin
  return query
  select f.id from unnest(v_layers) as r (layer_id)
   cross join lateral (
     select i.id from import i
      where i.team_id = v_team and i.layer_id = r.layer_id and i.state = 'failed'
      order by i.id desc limit p_limit) f
   order by f.id desc limit p_limit;
end $$;

revoke execute on function memory.latest_failures(int) from public, memory_service, memory_worker;
grant execute on function memory.latest_failures(int) to memory_service;

-- Returns how many chunks of all Teams together have terms that are older than p_version, for metrics: a job makes them
-- again. Those of deleted Teams are not counted, because the job leaves them as they are.
create or replace function memory.outdated_chunks(p_version int) returns bigint
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select coalesce(sum(o.chunks), 0)::bigint
    from (select s.team_id, sum(s.chunk_count) as chunks from source s
           where s.state = 'active' and s.terms_version < p_version group by s.team_id) o
    join identity.team t on t.id = o.team_id and t.deleted_at is null
$$;

revoke execute on function memory.outdated_chunks(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_chunks(int) to memory_service;

-- Returns figures of all Teams together, for metrics: chunks that wait for a vector, imports by state in the form
-- {"failed": 1}, the age of the oldest audit event without a seal (null: all are sealed), and the size of the database.
create or replace function memory.service_state()
returns table (pending_chunks bigint, imports jsonb, unsealed_seconds float8, database_bytes bigint)
language plpgsql stable security definer rows 1
set search_path = memory, pg_temp
as $$
begin
  return query
  with recursive figure as materialized (
    select t.part, t.state, sum(t.n) as n from layer_tally t where t.part in ('pending', 'imports') group by 1, 2
  ), oldest as (
    -- The first event of each Company, one look-up for each: a long list is not read.
    (select u.company_id, u.event_id from audit_unsealed u order by u.company_id, u.event_id limit 1)
    union all
    select n.company_id, n.event_id
      from oldest o
     cross join lateral (select u.company_id, u.event_id from audit_unsealed u
                          where u.company_id > o.company_id order by u.company_id, u.event_id limit 1) n
  ), waiting as (
    -- The time is that of the id, a UUIDv7: the event itself can have been deleted, and then it never gets a seal.
    select ('x' || substr(translate(o.event_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0 as since
      from oldest o
  )
  select coalesce((select sum(f.n) from figure f where f.part = 'pending'), 0)::bigint,
         coalesce((select jsonb_object_agg(f.state, f.n) from figure f where f.part = 'imports'), '{}'),
         (select greatest(extract(epoch from clock_timestamp()) - min(w.since), 0)::float8 from waiting w),
         pg_database_size(current_database());
end $$;

revoke execute on function memory.service_state() from public, memory_service, memory_worker;
grant execute on function memory.service_state() to memory_service;

-- Returns how many sources of a kind and in a state the layers of the claims have, without those that are loading. Null: of
-- every kind, in every state. A due source counts as archived. Exact as of the statement.
create or replace function memory.count_sources(p_kind text, p_state text) returns bigint
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := memory.claimed_team();
  v_layers constant uuid[] := memory.readable_layers();
  v_due bigint := 0;
begin
  if p_state is not null then
    select case p_state when 'active' then -count(*) else count(*) end into v_due from source s
     where s.team_id = v_team and s.state = 'active' and is_due(s.expires_at) and s.layer_id = any (v_layers)
       and (p_kind is null or s.kind = p_kind);
  end if;
  return v_due + (select coalesce(sum(t.n), 0) from layer_tally t
     where t.team_id = v_team and t.layer_id = any (v_layers) and t.part = 'sources'
       and (p_kind is null or t.kind = p_kind) and (p_state is null or t.state = p_state));
end $$;

revoke execute on function memory.count_sources(text, text) from public, memory_service, memory_worker;
grant execute on function memory.count_sources(text, text) to memory_service;

-- Returns how often sources of the Team of the claims were found, in whatever layers: join it with sources. The policy of
-- source_use looks each source up, which takes a list of all of them twice as long.
create or replace function memory.found_counts() returns table (source_id uuid, found bigint)
language sql stable security definer
set search_path = memory, pg_temp
as $$
  select u.source_id, u.found from source_use u where u.team_id = claimed_team() and u.found > 0
$$;

revoke execute on function memory.found_counts() from public, memory_service, memory_worker;
grant execute on function memory.found_counts() to memory_service;
