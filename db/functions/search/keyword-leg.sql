-- The best chunks by keyword, best first, with what was read to find them. Sets of chunks are hashed as long as they
-- fit work_mem, and searched through for each row where not: there must be room for a Team's. What is found follows
-- from the chunks of the scope: others decide at most on the way to it.
create or replace function memory.keyword_leg(
  p_team_layer boolean,       -- what the claims let be read, as search_candidates was asked with, and ...
  p_clients uuid[],           -- ... of which clients
  p_query sparsevec,          -- by weigh_query, or null
  p_keys int[],               -- candidate keys, and by weigh_query in how many chunks each stands ...
  p_frequencies float8[],     -- ... of the scope, and ...
  p_team_frequencies float8[],-- ... of all layers, where the others are large
  p_identifier_keys int[],    -- those among the keys that stand for identifiers
  p_chunks float8,            -- of the scope, as they were counted
  p_allowed uuid[],           -- where a filter is set, and not known by what it refuses: the chunks that pass it
  p_hidden uuid[],            -- chunks that are not to be found: still being written, or refused by a filter; or null
  p_leg int,
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
  -- Estimated postings within the scope that are read at first: one for each forty chunks.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same where these gave too little
  scored_cap constant int := 4000;      -- chunks scored, whatever the estimate, ...
  common_cap constant int := 1000;      -- ... and of words that stand in more than posting_cap
  rare_df constant int := 20;           -- an identifier in more chunks than this names nothing
  small constant int := 1000;           -- filtered chunks that are scored without a look at postings
  scan_cap constant int := 300;         -- chunks of a scope whose own keys are looked through sooner than planned for
  -- Postings of the Team beyond those of the scope that are read and thrown away, before the layers are looked up too:
  -- to plan that costs as much as some thousand, and to gather a layer as much as one for each eight of its chunks.
  thrown_away constant float8 := 3000 + p_chunks / 8;
  v_team constant uuid := claimed_team();
  v_one_by_one boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_scattered boolean;                  -- whether they are looked up together with the layers
  v_scan boolean := false;              -- whether keys are looked for in all chunks of the scope, for these are few
  v_cap float8 := posting_cap;
  v_read record;
  v_rarest int[];                       -- of the first pass: what holds one of them is scored first
  v_most int;
begin
  chunk_ids := '{}'; points := '{}'; names_it := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  -- Keys are read from the rarest on. Where that gives little, and the scope holds few chunks, each is scored then. If
  -- not, it reads on, by the next key if that is not too common; and where even that came to nothing, as many of its
  -- own chunks are scored as may be. Not where a code was found.
  for v_pass in 1 .. 4 loop
    -- At most v_cap estimated postings, the rarest key first and that one always; and how many with the next key.
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
    if not v_one_by_one and (v_pass > 3 or cardinality(v_read.keys) = cardinality(keys_read)) then
      exit when scored > 0;
      v_one_by_one := true;
    end if;
    -- Without postings any key will do.
    keys_read := case when v_one_by_one then p_keys else v_read.keys end;
    v_rarest := coalesce(v_rarest, keys_read);
    rare_keys := v_read.rare;
    -- Of words that stand in many chunks it is chance which are read and scored: fewer are.
    v_most := case when v_one_by_one or v_read.postings <= posting_cap then scored_cap else common_cap end;
    v_scattered := false;
    if p_team_frequencies is not null and not v_one_by_one then
      v_scattered := thrown_away < (select sum(e.df) - v_read.postings
        from unnest(p_keys, p_team_frequencies) e (key, df) where e.key = any (keys_read));
      v_scan := v_scan or (v_scattered and p_allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small));
    end if;
    if v_scattered and not v_scan then
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from scattered_keys(p_team_layer, p_clients, p_query, v_rarest, case when v_pass > 1 then keys_read end,
                            chunk_ids, p_allowed, p_hidden, v_most, p_leg) l;
    elsif v_one_by_one or v_scan then
      select l.chunk_ids, l.points, l.scored into chunk_ids, points, scored
        from keys_one_by_one(p_team_layer, p_clients, p_query, keys_read, p_allowed, p_hidden, v_most, p_leg) l;
    else
      with candidate as (
        -- The fences keep the planner from ANDing the GIN bitmap with one of the primary key: 0.7 ms, not 8.
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
    -- Of the best alone: to look at the keys of all that was scored took as long as to score them.
    names_it := array_fill(false, array[cardinality(chunk_ids)]);
    if cardinality(rare_keys) > 0 then
      select coalesce(array_agg(coalesce(c.keys && rare_keys, false) order by h.rank), '{}') into names_it
        from unnest(chunk_ids) with ordinality h (id, rank)
        left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id;
    end if;
    exit when v_one_by_one or scored >= p_leg or true = any (names_it);
    -- Where all was read that there is, nothing else holds a word.
    exit when cardinality(keys_read) = cardinality(p_keys) and scored < v_most;
    if v_pass = 1 then
      v_one_by_one := case when p_allowed is null then scope_holds_at_most(scored_cap)
                           else cardinality(p_allowed) <= scored_cap end;
    end if;
    v_cap := least(read_cap, greatest(v_read.next_postings, 2000));
  end loop;
end $$;

revoke execute on function memory.keyword_leg(boolean, uuid[], sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int) from public;
