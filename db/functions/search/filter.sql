-- Part of search_candidates. Returns the filters of a search, and how they are tested. If few chunks can pass, those that
-- do are returned as `allowed`. If there can be many, `looked_up` is true: candidates are found without the filters,
-- and those that do not pass are removed by first_passing. It reads some thousand rows at most, however many pass.
-- Without a filter, `hidden` has hidden_chunks. A filter that is null is not set. p_after and
-- p_before are bounds of a chunk's time, p_occurred_after and p_occurred_before of the date of its source, which has all of
-- p_tags.
create or replace function memory.choose_filter(
  p_kinds text[], p_sources uuid[], p_after timestamptz, p_before timestamptz, p_tags text[],
  p_occurred_after timestamptz, p_occurred_before timestamptz
) returns memory.search_filter
language plpgsql stable
as $$
declare
  few constant int := 10000;            -- with more chunks that can pass, candidates are looked up
  v_few_sources uuid[];
  v_own uuid[];                         -- the chunks of a small scope in a large Team
  v_filter memory.search_filter;
begin
  v_filter.is_set := num_nonnulls(p_kinds, p_sources, p_after, p_before, p_tags, p_occurred_after, p_occurred_before) > 0;
  v_filter.looked_up := false;
  if not v_filter.is_set then
    v_filter.hidden := hidden_chunks();
    return v_filter;
  end if;
  -- The indexes of times, kinds and tags are over the whole Team. In a small scope each chunk is tested instead.
  if p_sources is null then
    v_own := small_scope_chunks();
  end if;
  if v_own is null and num_nonnulls(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before) > 0 then
    v_few_sources := few_sources(p_kinds, p_sources, p_tags, p_occurred_after, p_occurred_before);
  end if;
  v_filter.kinds := p_kinds;
  v_filter.sources := coalesce(v_few_sources, p_sources);
  -- Callers see times in milliseconds. A chunk whose time, as they see it, equals a bound does not pass.
  v_filter.since := p_after + interval '1 millisecond';
  v_filter.until := p_before;
  v_filter.tags := p_tags;
  v_filter.occurred_after := p_occurred_after;
  v_filter.occurred_before := p_occurred_before;
  if v_own is not null then
    v_filter.allowed := array(select v_own[n] from unnest(first_passing(v_own, v_filter, cardinality(v_own))) n);
  elsif v_few_sources is not null or num_nonnulls(v_filter.since, v_filter.until) > 0 then
    v_filter.allowed := passing_chunks(v_filter, few);
  end if;
  v_filter.looked_up := v_filter.allowed is null;
  return v_filter;
end $$;

revoke execute on function memory.choose_filter(text[], uuid[], timestamptz, timestamptz, text[], timestamptz, timestamptz) from public, memory_service, memory_worker;

-- Part of choose_filter. Returns the active sources within the claims that pass the filters by kind, source, tag and
-- date; null if they are many, or have many chunks. Stops reading when they are too many.
create or replace function memory.few_sources(
  p_kinds text[], p_sources uuid[], p_tags text[], p_occurred_after timestamptz, p_occurred_before timestamptz
) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  most constant int := 10000;           -- sources, and chunks
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[] := '{}';
  v_chunks bigint := 0;
  v_id uuid;
  v_count int;
begin
  for v_id, v_count in
    select s.id, s.chunk_count from source s
     -- The comparison with '{}' is the condition of the index of sources with tags.
     where s.team_id = v_team and s.state = 'active' and not is_due(s.expires_at)
       and (p_kinds is null or s.kind = any (p_kinds))
       and (p_sources is null or s.id = any (p_sources))
       and (p_tags is null or (s.tags @> p_tags and s.tags <> '{}'))
       and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day, p_occurred_after, p_occurred_before)
       and s.layer_id = any (v_layers)
     limit most + 1
  loop
    v_ids := v_ids || v_id;
    v_chunks := v_chunks + v_count;
    if v_chunks > most or cardinality(v_ids) > most then
      return null;
    end if;
  end loop;
  return v_ids;
end $$;

revoke execute on function memory.few_sources(text[], uuid[], text[], timestamptz, timestamptz) from public, memory_service, memory_worker;

-- Part of search_candidates. Returns the places, in p_chunks, of the first p_limit chunks that pass a filter and whose
-- source is active. Looks the chunks up in their order, some at once, and stops when enough have passed. The chunks
-- must be within the scope.
create or replace function memory.first_passing(
  p_chunks uuid[],
  p_filter memory.search_filter,
  p_limit int
) returns int[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
-- Only look-ups by the primary keys, with any statistics.
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexscan = on
set enable_nestloop = on
as $$
declare
  v_team constant uuid := claimed_team();
  v_places int[] := '{}';
  v_from int := 1;
  v_slice int := p_limit * 2;           -- chunks that are looked up at once
begin
  while cardinality(v_places) < p_limit and v_from <= cardinality(p_chunks) loop
    v_places := v_places || array(
      select v_from - 1 + n.nth::int
        from unnest(p_chunks[v_from : v_from + v_slice - 1]) with ordinality n (id, nth)
       where (select (p_filter.since is null or c.created_at >= p_filter.since)
                     and (p_filter.until is null or c.created_at < p_filter.until)
                     and (p_filter.sources is null or c.source_id = any (p_filter.sources))
                     and s.state = 'active' and not is_due(s.expires_at)
                     and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                     and (p_filter.tags is null or s.tags @> p_filter.tags)
                     and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                           p_filter.occurred_after, p_filter.occurred_before)
                from chunk c join source s on s.team_id = c.team_id and s.id = c.source_id
               where c.team_id = v_team and c.id = n.id)
       order by n.nth);
    v_from := v_from + v_slice;
  end loop;
  return v_places[1 : p_limit];
end $$;

revoke execute on function memory.first_passing(uuid[], memory.search_filter, int) from public, memory_service, memory_worker;

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

-- Returns the chunks within the claims that pass a filter. Returns null if more than p_most chunks within the claims
-- pass the filters by time and source: then it reads no further. p_most null: without limit. Chunks outside of the claims
-- are not counted, because a search must not depend on them.
create or replace function memory.passing_chunks(
  p_filter memory.search_filter,
  p_most int
) returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_passing uuid[];
begin
  with dated as materialized (
    -- Thousands of sources are looked up one by one: without statistics, each chunk would be compared with all of them.
    select c.id, c.source_id from unnest(p_filter.sources) f (source_id)
     cross join lateral (
       select c.id, c.source_id from chunk c
        where c.team_id = v_team and c.source_id = f.source_id
          and c.layer_id = any (v_layers)
          and (p_filter.since is null or c.created_at >= p_filter.since)
          and (p_filter.until is null or c.created_at < p_filter.until) offset 0) c
    union all
    select c.id, c.source_id from chunk c
     where p_filter.sources is null and c.team_id = v_team
       and c.layer_id = any (v_layers)
       and (p_filter.since is null or c.created_at >= p_filter.since)
       and (p_filter.until is null or c.created_at < p_filter.until)
     limit p_most + 1
  ), read as materialized (
    -- When there are too many, nothing more is done with them.
    select p_most is null or count(*) <= p_most as is_complete from dated
  ), passing_source as materialized (
    -- Each source is looked up by its id, which a join without statistics would not do.
    select d.source_id from (select distinct source_id from dated where (select r.is_complete from read r)) d
     where (select s.state = 'active' and not is_due(s.expires_at)
                   and (p_filter.kinds is null or s.kind = any (p_filter.kinds))
                   and (p_filter.tags is null or s.tags @> p_filter.tags)
                   and is_dated_within(coalesce(s.occurred_at, s.created_at), s.occurred_is_day,
                         p_filter.occurred_after, p_filter.occurred_before)
              from source s where s.team_id = v_team and s.id = d.source_id)
  )
  select case when (select r.is_complete from read r) then coalesce(array_agg(d.id), '{}') end into v_passing
    from dated d
   where (select r.is_complete from read r) and d.source_id in (select p.source_id from passing_source p);
  return v_passing;
end $$;

revoke execute on function memory.passing_chunks(memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of choose_filter. Returns the chunks within the claims if they are few and the Team has many, with those of
-- sources that are loading. Returns null otherwise, and without word counts. Stops reading when they are too many. The
-- size of the Team changes how a filter is tested, but not which chunks pass.
create or replace function memory.small_scope_chunks() returns uuid[]
language plpgsql stable security definer
set search_path = memory, public, pg_temp
-- An index scan stops at the limit, but a bitmap scan would first read all rows.
set enable_bitmapscan = off
as $$
declare
  most constant int := 1000;            -- chunks of a small scope
  many constant int := 20000;           -- chunks of a large Team, as counted
  v_team constant uuid := claimed_team();
  v_layers constant uuid[] := readable_layers();
  v_ids uuid[];
begin
  if not exists (select from keyword_team t where t.team_id = v_team and t.chunks > many) then
    return null;
  end if;
  v_ids := array(select k.chunk_id from unnest(v_layers) l (id)
                 -- Layer by layer, so that an index with layers selects each. A plan expects few rows between two values,
                 -- but as many equal ones as the mean layer has: then another index, of the whole Team, can seem cheaper.
                 cross join lateral (select c.chunk_id from chunk_keyword c
                                      where c.team_id = v_team and c.layer_id between l.id and l.id offset 0) k
                 limit most + 1);
  return case when cardinality(v_ids) <= most then v_ids end;
end $$;

revoke execute on function memory.small_scope_chunks() from public, memory_service, memory_worker;
