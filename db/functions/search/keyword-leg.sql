-- Part of search_candidates. Returns the best chunks by keyword, best first, with their scores, whether each contains a
-- rare identifier of the query, and what was read to find them. Chunks outside of the scope can change how the chunks
-- are found, but not which are found. work_mem has room for the ids of all chunks of a Team: a set of ids that does not
-- fit is not hashed, and each row would be compared with the whole set.
create or replace function memory.keyword_leg(
  p_team_layer boolean,       -- whether the claims can read the Team layer, and ...
  p_clients uuid[],           -- ... the clients whose layers they can read
  p_query sparsevec,          -- the weights of the query by weigh_query, or null
  p_keys int[],               -- candidate keys, and by weigh_query the number of chunks with each ...
  p_frequencies float8[],     -- ... in the scope, and ...
  p_team_frequencies float8[],-- ... in all layers; null if the layers outside of the scope are small
  p_identifier_keys int[],    -- the keys of identifiers
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_allowed uuid[],           -- the chunks that pass the filter, or null: no filter is set, or p_hidden has the others
  p_hidden uuid[],            -- chunks to exclude: their source is loading, or a filter refuses them; or null
  p_leg int,                  -- how many chunks are returned at most
  out chunk_ids uuid[], out points float8[], out names_it boolean[],
  out scored int, out keys_read int[], out rare_keys int[]
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
set work_mem = '64MB'
as $$
declare
  -- Estimated postings in the scope that the first pass reads: one for each 40 chunks, from 500 to 2,000.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same for later passes
  scored_cap constant int := 4000;      -- chunks that a pass scores at most, also if the estimate was too low
  common_cap constant int := 1000;      -- the same for words that occur in more chunks than posting_cap
  rare_df constant int := 20;           -- an identifier that occurs in more chunks is not rare
  small constant int := 1000;           -- up to this many chunks are read one by one, without postings
  -- Up to this many chunks of a scope are read in less time than scattered_keys needs for its plan.
  scan_cap constant int := 300;
  -- Estimated postings outside of the scope that are read and discarded at most. With more, scattered_keys is faster:
  -- its planning takes as long as reading 3,000 postings, and reading the layers as long as one posting for 8 chunks.
  thrown_away constant float8 := 3000 + p_chunks / 8;
  v_team constant uuid := claimed_team();
  -- Whether chunks are read one by one, without postings.
  v_one_by_one boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_scattered boolean;                  -- whether scattered_keys is faster in this pass
  v_scan boolean := false;              -- whether all chunks of the scope are read, because it has few
  v_cap float8 := posting_cap;
  v_read record;
  v_rarest int[];                       -- keys of the first pass; chunks with one of them are scored first
  v_most int;                           -- chunks that this pass scores at most
begin
  chunk_ids := '{}'; points := '{}'; names_it := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if it scores
  -- p_leg chunks or finds a rare identifier. Else, if the scope has few chunks, the second pass scores all of them. If
  -- it has many, the second and third passes read more postings, including the next key if it is not too common. If no
  -- chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    -- Selects the keys of this pass: the rarest key, and the next ones up to v_cap estimated postings in total. Also
    -- returns how many postings there are with one key more, and which identifiers are rare.
    with running as (
      select e.key, e.df, sum(e.df) over (order by e.df, e.key rows unbounded preceding) as postings,
             row_number() over (order by e.df, e.key) as place
        from unnest(p_keys, p_frequencies) as e (key, df)
    )
    select coalesce(array_agg(r.key) filter (where r.postings <= v_cap or r.place = 1), '{}') as keys,
           max(r.postings) filter (where r.postings <= v_cap or r.place = 1) as postings,
           min(r.postings) filter (where r.postings > v_cap and r.place > 1) as next_postings,
           coalesce(array_agg(r.key) filter (where r.df <= rare_df and r.key = any (p_identifier_keys)), '{}') as rare
      into v_read
      from running r;
    -- No key is left to add: ends, or reads chunks one by one if nothing was scored.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_read.keys) = cardinality(keys_read)) then
      exit when scored > 0;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys, because no postings are read.
    keys_read := case when v_one_by_one then p_keys else v_read.keys end;
    v_rarest := coalesce(v_rarest, keys_read);
    rare_keys := v_read.rare;
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_read.postings <= posting_cap then scored_cap else common_cap end;
    -- Chooses how to find the chunks, by how many postings outside of the scope would be read and discarded.
    v_scattered := false;
    if p_team_frequencies is not null and not v_one_by_one then
      v_scattered := thrown_away < (select sum(e.df) - v_read.postings
        from unnest(p_keys, p_team_frequencies) e (key, df) where e.key = any (keys_read));
      v_scan := v_scan or (v_scattered and p_allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small));
    end if;
    if v_scattered and not v_scan then
      -- By key and by layer at once.
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from scattered_keys(p_team_layer, p_clients, p_query, v_rarest, case when v_pass > 1 then keys_read end,
                            chunk_ids, p_allowed, p_hidden, v_most, p_leg) l;
    elsif v_one_by_one or v_scan then
      -- Chunk by chunk.
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from keys_one_by_one(p_team_layer, p_clients, p_query, keys_read, p_allowed, p_hidden, v_most, p_leg) l;
    else
      -- By key: finds the chunks of the whole Team with one of the keys, and discards those outside of the scope.
      with candidate as (
        -- offset 0 keeps the planner from combining the bitmap of the GIN index with one of the primary key: 0.7 ms
        -- instead of 8 ms.
        (select c.chunk_id, c.weights
           from (select c.team_id, c.client_id, c.chunk_id, c.weights from chunk_keyword c
                  where c.keys && v_rarest offset 0) c
          where c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
            and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
            and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
          limit v_most)
        union all
        (select c.chunk_id, c.weights
           from (select c.team_id, c.client_id, c.chunk_id, c.weights from chunk_keyword c
                  where v_pass > 1 and c.keys && keys_read
                 offset 0) c
          where c.team_id = v_team and ((c.client_id is null and p_team_layer) or c.client_id = any (p_clients))
            and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
            and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
            and c.chunk_id <> all (chunk_ids)
          limit v_most)
      ), compared as materialized (
        select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit v_most
      ), hits as (
        select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_leg
      )
      select (select count(*) from compared),
             coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
             coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
        into scored, chunk_ids, points
        from hits h;
    end if;
    -- Only for the best chunks: reading the keys of all scored chunks took as long as scoring them.
    names_it := array_fill(false, array[cardinality(chunk_ids)]);
    if cardinality(rare_keys) > 0 then
      select coalesce(array_agg(coalesce(c.keys && rare_keys, false) order by h.rank), '{}') into names_it
        from unnest(chunk_ids) with ordinality h (id, rank)
        left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id;
    end if;
    exit when v_one_by_one or scored >= p_leg or true = any (names_it);
    -- All keys were read, and no limit was reached: no other chunk contains a word of the query.
    exit when cardinality(keys_read) = cardinality(p_keys) and scored < v_most;
    -- The second pass scores every chunk if there are few.
    if v_pass = 1 then
      v_one_by_one := case when p_allowed is null then scope_holds_at_most(scored_cap)
                           else cardinality(p_allowed) <= scored_cap end;
    end if;
    v_cap := least(read_cap, greatest(v_read.next_postings, 2000));
  end loop;
end $$;

revoke execute on function memory.keyword_leg(boolean, uuid[], sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int) from public, memory_service, memory_worker;
