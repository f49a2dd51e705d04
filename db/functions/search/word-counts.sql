-- Ends storing the counts of a layer that lock_layer_counts began: stores how many chunks the layer has and how many of
-- them were counted. Then deletes the rows of layers without chunks, and sums up the layers of the Team.
create or replace function memory.end_layer_counts(
  p_layer uuid, p_chunks int,
  p_sampled int,              -- chunks that are counted, with those that are gone
  p_gone int,                 -- chunks that are counted and deleted since
  p_renewed int,              -- chunks of l.renewed that are counted with their new terms now
  p_members int[],            -- the hashes of the counted chunks that are not gone
  p_once_dims bytea, p_once_keys bytea, p_dim_shift int, p_key_shift int
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
begin
  update keyword_layer l
     set chunks = p_chunks, sampled = p_sampled, gone = p_gone, members = p_members, counted_at = now(),
         renewed = greatest(l.renewed - p_renewed, 0), version = l.version + 1,
         once_dims = p_once_dims, once_keys = p_once_keys
   where l.team_id = v_team and l.layer_id = p_layer;
  update keyword_team t set dim_shift = p_dim_shift, key_shift = p_key_shift where t.team_id = v_team;
  -- A layer without chunks frees its place.
  delete from keyword_layer l where l.team_id = v_team and l.chunks = 0;
  perform sum_layer_counts();
end $$;

revoke execute on function memory.end_layer_counts(uuid, int, int, int, int, int[], bytea, bytea, int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_layer_counts(uuid, int, int, int, int, int[], bytea, bytea, int, int) to memory_worker;

-- Begins to store the counts of a layer: locks the Team's row until the transaction ends, so that another one that
-- counts waits, and adds the row of a new layer. Returns no row if the counts cannot be stored: the Team was deleted,
-- the layer was counted since p_version (null: it had no counts), or every place is in use, and the words of the layer
-- weigh as if they were not counted.
create or replace function memory.lock_layer_counts(p_layer uuid, p_version int)
returns table (place int, dim_shift int, key_shift int, once_dims bytea, once_keys bytea)
language plpgsql security definer set search_path = memory, pg_temp
as $$
declare
  most_layers constant int := 16000;    -- places in the vector of a term
  v_team constant uuid := claimed_team();
  v_place int;
  v_version int;
begin
  perform from keyword_team t where t.team_id = v_team for update;
  if not found then
    return;
  end if;
  select l.place, l.version into v_place, v_version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  if v_version is distinct from p_version then
    return;
  end if;
  if v_place is null then
    -- A new layer gets the next place, or, after the last place, the first one that is free.
    select coalesce(max(l.place), 0) + 1 into v_place from keyword_layer l where l.team_id = v_team;
    if v_place > most_layers then
      select min(n) into v_place from generate_series(1, most_layers) n
       where n not in (select l.place from keyword_layer l where l.team_id = v_team);
    end if;
    if v_place is null then
      return;
    end if;
    insert into keyword_layer (team_id, layer_id, place, chunks, sampled) values (v_team, p_layer, v_place, 0, 1);
  end if;
  return query
  select l.place, t.dim_shift::int, t.key_shift::int, l.once_dims, l.once_keys
    from keyword_team t join keyword_layer l on l.team_id = t.team_id
   where t.team_id = v_team and l.layer_id = p_layer;
end $$;

revoke execute on function memory.lock_layer_counts(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.lock_layer_counts(uuid, int) to memory_worker;

-- Returns rows of keyword_slice of the scope's Team and the space p_space, in a form that the worker reads: int[] as
-- binary, and vectors as text with a space between them. Returns the slices p_slices, and those in which the layer with
-- the place p_place has counts; all with p_all. In the order of the slices.
create or replace function memory.read_slices(p_space text, p_slices int[], p_place int, p_all boolean)
returns table (slice int, terms bytea, places bytea, counts bytea, vectors text)
language plpgsql stable security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_place constant sparsevec := case when p_place is not null then ('{' || p_place || ':1}/16000')::sparsevec end;
begin
  return query
  select s.slice, array_send(s.terms), array_send(s.places::int[]), array_send(s.counts::int[]),
         array_to_string(s.vectors::text[], ' ')
    from keyword_slice s
   where s.team_id = claimed_team() and s.space = p_space::"char"
     and (p_place is not null or p_all or s.slice = any (p_slices))
     and (p_place is null or p_all or s.slice = any (p_slices)
       or case when s.places is null then p_place = 1 else p_place = any (s.places) end
       or exists (select from unnest(s.vectors) v where v <#> v_place < 0))
   order by s.slice;
end $$;

revoke execute on function memory.read_slices(text, int[], int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.read_slices(text, int[], int, boolean) to memory_worker;

-- Compares the sample of a layer with the chunks that were counted. The sample has at most p_limit chunks: the first in
-- the order of the hash of their ids, which does not depend on their age or text. Chunks with the same hash count as
-- one here.
create or replace function memory.sample_changes(
  p_layer uuid, p_limit int,
  out sample uuid[],          -- the chunks of the sample, with ...
  out hashes int[],           -- ... the hash of each
  out added uuid[],           -- those of them that were not counted
  out dropped uuid[],         -- chunks that were counted and are no longer in the sample
  out deleted int,            -- how many chunks were counted and are deleted
  out counted int,            -- how many were counted, with those that are gone; null: count all again
  out gone int,               -- how many of them were gone at the last count
  out renewed int,            -- chunks whose terms were made again since they were counted
  out version int             -- of the counts; null without counts
)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
-- The index has the order. Where the planner expects few chunks in a layer, it would read all of them and sort.
set enable_sort = off
set enable_incremental_sort = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_members int[];
  v_left int[];               -- the hashes of members that are not in the sample
begin
  select array_agg(s.chunk_id), array_agg(s.hash) into sample, hashes from (
    select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
     where k.team_id = v_team and k.layer_id = p_layer
     order by uuid_hash(k.chunk_id) limit p_limit) s;
  sample := coalesce(sample, '{}'); hashes := coalesce(hashes, '{}');
  select l.members, l.sampled, l.gone, l.renewed, l.version
    into v_members, counted, gone, renewed, version
    from keyword_layer l where l.team_id = v_team and l.layer_id = p_layer;
  added := array(select s.id from unnest(sample, hashes) s (id, hash)
                  where s.hash not in (select unnest(coalesce(v_members, '{}'))));
  v_left := array(select m.hash from unnest(v_members) m (hash) where m.hash not in (select unnest(hashes)));
  -- Each is looked up in the order of the index: a join could compare all with all.
  dropped := array(
    select k.chunk_id from unnest(v_left) m (hash)
     cross join lateral (
       select k.chunk_id, uuid_hash(k.chunk_id) as hash from chunk_keyword k
        where k.team_id = v_team and k.layer_id = p_layer and uuid_hash(k.chunk_id) >= m.hash
        order by uuid_hash(k.chunk_id) limit 1) k
     where k.hash = m.hash);
  deleted := cardinality(v_left) - cardinality(dropped);
end $$;

revoke execute on function memory.sample_changes(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.sample_changes(uuid, int) to memory_worker;

-- Returns the layers of the scope's Team whose word counts are out of date, with the number of chunks that each has
-- now: the number of chunks has changed by a fifth or more since the count, or the terms of a fifth were made again, or
-- the layer was never counted. Empty if the Team was deleted, also while its rows are still purged.
create or replace function memory.stale_layers() returns table (layer_id uuid, chunks int)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select coalesce(n.layer_id, l.layer_id), coalesce(n.chunks, 0)
    -- The chunks of active sources, without counting them.
    from (select t.layer_id, sum(t.n)::int as chunks from layer_tally t
           where t.team_id = claimed_team() and t.part = 'chunks' group by 1 having sum(t.n) > 0) n
    full join (select c.layer_id, c.chunks, c.renewed from keyword_layer c where c.team_id = claimed_team()) l
      on n.layer_id = l.layer_id
   -- A layer that was never counted needs a place, and there are 16,000. See lock_layer_counts.
   where exists (select from keyword_team t where t.team_id = claimed_team())
     and case when l.chunks is not null
              -- At least one chunk, so that a layer that was counted as empty is not out of date.
              then abs(coalesce(n.chunks, 0) - l.chunks) + l.renewed >= greatest(l.chunks * 0.2, 1)
              else (select count(*) from keyword_layer c where c.team_id = claimed_team()) < 16000 end
   order by 1;
$$;

revoke execute on function memory.stale_layers() from public, memory_service, memory_worker;
grant execute on function memory.stale_layers() to memory_worker;

-- Returns the stored terms of chunks of the scope's Team, in the binary form of their types: weights (sparsevec) and
-- keys (int[]). The worker counts the terms. Chunks without stored terms are left out.
create or replace function memory.stored_terms(p_chunks uuid[])
returns table (chunk_id uuid, weights bytea, keys bytea)
language sql stable security definer set search_path = memory, public, pg_temp
as $$
  select k.chunk_id, sparsevec_send(k.weights), array_send(k.keys)
    from chunk_keyword k
   where k.team_id = claimed_team() and k.chunk_id = any (p_chunks)
$$;

revoke execute on function memory.stored_terms(uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.stored_terms(uuid[]) to memory_worker;

-- Part of end_layer_counts. Sums up the counted layers of the scope's Team in its row of keyword_team.
create or replace function memory.sum_layer_counts() returns void
language plpgsql security definer set search_path = memory, public, pg_temp
as $$
begin
  update keyword_team t set (chunks, sampled, counted_at, scales, layer_places, layer_scales, layers, layer_count) = (
    select coalesce(sum(l.chunks), 0), coalesce(sum(l.sampled), 0), min(l.counted_at),
           ('{' || string_agg(l.place || ':' || layer_scale(l.chunks, l.sampled), ',') || '}/16000')::sparsevec,
           coalesce(array_agg(l.place order by l.place), '{}'),
           coalesce(array_agg(layer_scale(l.chunks, l.sampled) order by l.place), '{}'),
           coalesce(array_agg(l.layer_id), '{}'), count(*)
      from keyword_layer l where l.team_id = t.team_id and l.chunks > 0)
   where t.team_id = claimed_team();
end $$;

revoke execute on function memory.sum_layer_counts() from public, memory_service, memory_worker;

-- Returns the Teams that have chunks and no word counts: those after p_after in the order of their ids, among p_limit
-- Teams that are looked at. The last row has the last Team that was looked at, with
-- uncounted false, unless none was.
create or replace function memory.uncounted_teams(p_after uuid, p_limit int)
returns table (company_id uuid, team_id uuid, uncounted boolean)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  return query
  with looked as (
    select k.team_id, k.chunks > 0 as counted from keyword_team k
     where p_after is null or k.team_id > p_after order by k.team_id limit p_limit
  )
  select t.company_id, t.id, true
    from looked l join identity.team t on t.id = l.team_id
   where not l.counted and t.deleted_at is null
     and exists (select from chunk_keyword k where k.team_id = t.id)
  union all
  (select null::uuid, l.team_id, false from looked l order by l.team_id desc limit 1);
end $$;

revoke execute on function memory.uncounted_teams(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.uncounted_teams(uuid, int) to memory_worker;

-- Replaces slices of the scope's Team in keyword_slice: of each the number of its terms, which is 0 to delete it, and
-- its vectors as text with a space between them. p_terms, p_places and p_counts have the elements of all slices, one
-- after the other. Call lock_layer_counts first, in the same transaction.
create or replace function memory.write_slices(
  p_space text, p_slices int[], p_sizes int[], p_vectors text[], p_terms int[], p_places int[], p_counts int[]
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
begin
  delete from keyword_slice s
   where s.team_id = v_team and s.space = p_space::"char"
     and s.slice = any (array(select w.slice from unnest(p_slices, p_sizes) w (slice, size) where w.size = 0));
  insert into keyword_slice (team_id, space, slice, terms, places, counts, vectors)
    select v_team, p_space::"char", w.slice, p_terms[w.first:w.last],
           case when 1 <> any (p_places[w.first:w.last]) then p_places[w.first:w.last]::int2[] end,
           p_counts[w.first:w.last]::int2[],
           case when w.vectors <> '' then string_to_array(w.vectors, ' ')::sparsevec(16000)[] end
      from (select u.slice, u.vectors, u.size, sum(u.size) over w as last, sum(u.size) over w - u.size + 1 as first
              from unnest(p_slices, p_sizes, p_vectors) with ordinality u (slice, size, vectors, nth)
            window w as (order by u.nth)) w
     where w.size > 0
    on conflict (team_id, space, slice) do update
       set terms = excluded.terms, places = excluded.places, counts = excluded.counts, vectors = excluded.vectors;
end $$;

revoke execute on function memory.write_slices(text, int[], int[], text[], int[], int[], int[]) from public, memory_service, memory_worker;
grant execute on function memory.write_slices(text, int[], int[], text[], int[], int[], int[]) to memory_worker;
