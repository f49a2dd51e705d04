-- Part of search_candidates. Returns the best chunks by keyword, best first, with their scores, whether each contains a
-- rare identifier, and what was read. Chunks outside of the scope can change how chunks are found, but not which.
create or replace function memory.keyword_candidates(
  p_layers uuid[],            -- the layers that the claims can read
  p_query sparsevec,          -- the weights of the query by weigh_query, or null
  p_keys int[],               -- candidate keys, and by weigh_query the number of chunks with each key ...
  p_frequencies float8[],     -- ... in the scope, and ...
  p_team_frequencies float8[],-- ... in all layers; null if the layers outside of the scope are small
  p_identifier_keys int[],    -- the keys of identifiers
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_filter memory.search_filter,
  p_limit int                 -- how many chunks are returned at most
) returns memory.keyword_hits
language plpgsql stable
set search_path = memory, public, pg_temp
as $$
declare
  rare_df constant int := 20;           -- an identifier that occurs in more chunks is not rare
  v_rare_keys int[] := '{}';
  v_hits memory.keyword_hits;
begin
  if p_query is null or cardinality(p_keys) = 0 then
    return row('{}', '{}', '{}', 0, '{}', '{}', null, false)::memory.keyword_hits;
  end if;
  if cardinality(p_identifier_keys) > 0 then
    v_rare_keys := array(select e.key from unnest(p_keys, p_frequencies) e (key, df)
                          where e.df <= rare_df and e.key = any (p_identifier_keys) order by e.df, e.key);
  end if;
  v_hits := keyword_passes(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies, v_rare_keys, p_chunks, p_filter, p_limit);
  if v_hits.is_cut then
    -- Not enough of the chunks that were scored pass the filter, and others can: those that pass are gathered first.
    p_filter.allowed := passing_chunks(p_filter, null);
    p_filter.looked_up := false;
    v_hits := keyword_passes(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies, v_rare_keys, p_chunks, p_filter, p_limit);
  end if;
  return v_hits;
end $$;
revoke execute on function memory.keyword_candidates(uuid[], sparsevec, int[], float8[], float8[], int[], float8, memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of keyword_candidates, which has the same arguments, but for the keys of rare identifiers. Finds the chunks in passes.
-- Each reads the chunks with the rarest keys, up to a number of postings, and adds those that no pass before has scored.
-- The first pass is enough if p_limit of its chunks pass the filter, or it finds a rare identifier. Else, if the scope has
-- few chunks, the second pass scores all of them. If it has many, the second and third passes read more postings, including
-- the next key if it is not too common. If no chunk was scored by then, the last pass scores as many chunks of the scope
-- as a pass can.
create or replace function memory.keyword_passes(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_frequencies float8[], p_team_frequencies float8[],
  p_rare_keys int[], p_chunks float8, p_filter memory.search_filter, p_limit int
) returns memory.keyword_hits
language plpgsql stable
as $$
declare
  -- Estimated postings in the scope that the first pass reads: one for each 40 chunks, from 500 to 2,000.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same for later passes
  scored_cap constant int := 4000;      -- chunks that are scored at most, also if the estimate was too low
  common_cap constant int := 1000;      -- the same for words that occur in more chunks than posting_cap
  small constant int := 1000;           -- up to this many allowed chunks are read one by one
  v_hits memory.keyword_hits := row('{}', '{}', '{}', 0, '{}', p_rare_keys, null, false)::memory.keyword_hits;
  v_one_by_one boolean := coalesce(cardinality(p_filter.allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest memory.rarest_keys;
  v_pass memory.keyword_pass;
  v_most int;                           -- chunks that are scored at most, with those of the passes before
begin
  for v_nth in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was found.
    if not v_one_by_one and (v_nth > 3 or cardinality(v_rarest.keys) = cardinality(v_hits.keys_read)) then
      exit when v_pass.passed > 0 or p_filter.looked_up;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys.
    v_hits.keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    -- Nothing can be added: the chunks that pass are gathered.
    exit when p_filter.looked_up and not v_one_by_one and v_hits.scored >= v_most;
    v_pass := score_pass(p_layers, p_query, v_hits.keys_read, v_pass.scored, p_filter, p_chunks,
      v_rarest.other_postings, v_one_by_one, v_most, p_limit);
    v_hits.chunk_ids := (v_pass.best).chunk_ids;
    v_hits.points := (v_pass.best).points;
    v_hits.scored := cardinality((v_pass.scored).chunk_ids);
    -- Of the best chunks only: reading the keys of all scored chunks took as long as scoring them.
    v_hits.has_rare_identifier := contain_keys(v_hits.chunk_ids, p_rare_keys);
    exit when v_one_by_one or v_pass.passed >= p_limit or true = any (v_hits.has_rare_identifier);
    -- All keys were read and no limit was reached: no other chunk contains a word of the query.
    exit when case when v_hits.scored < v_most then cardinality(v_hits.keys_read) = cardinality(p_keys)
                   else p_filter.looked_up end;
    if v_nth = 1 then -- The second pass scores every chunk if there are few.
      v_one_by_one := coalesce(cardinality(p_filter.allowed) <= scored_cap, scope_holds_at_most(scored_cap));
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000));
  end loop;
  v_hits.is_cut := p_filter.looked_up and v_pass.passed < p_limit and not v_one_by_one
    and not true = any (v_hits.has_rare_identifier)
    and (v_hits.scored >= v_most or v_pass.passed = 0 and cardinality(v_hits.keys_read) < cardinality(p_keys));
  return v_hits;
end $$;
revoke execute on function memory.keyword_passes(uuid[], sparsevec, int[], float8[], float8[], int[], float8, memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of keyword_passes. Scores the chunks of a pass: chooses how to find them, by how many postings outside of
-- the scope would be read and discarded. Chunks that are read one by one replace those of the passes before, others are added
-- to them. work_mem has room for the ids of all chunks of a Team: a set of ids that does not fit is not hashed, and each row
-- would be compared with the whole set.
create or replace function memory.score_pass(
  p_layers uuid[], p_query sparsevec,
  p_keys int[],               -- the keys of this pass
  p_scored memory.scored_chunks, -- the chunks of the passes before; null in the first one
  p_filter memory.search_filter,
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_other_postings float8,    -- estimated postings outside of the scope; null if the layers there are small
  p_one_by_one boolean,       -- whether chunks are read one by one, without postings
  p_most int, p_limit int     -- how many chunks are scored at most, and how many are the best
) returns memory.keyword_pass
language plpgsql stable
set enable_indexscan = off
set enable_indexonlyscan = off
set work_mem = '64MB'
as $$
declare
  -- Estimated postings outside of the scope that are read and discarded at most. With more, finding chunks by key and
  -- by layer is faster: its planning takes as long as reading 3,000 postings, and reading the layers as long as one
  -- posting for 8 chunks.
  discard_cap constant float8 := 3000 + p_chunks / 8;
  -- A scope of up to this many chunks, as counted, is read one by one: this takes less time than planning
  -- chunks_by_key_and_layer.
  scan_cap constant int := 300;
  -- The count can be out of date. A scope that stores more chunks than this is not read one by one.
  small constant int := 1000;
  v_scattered constant boolean := not p_one_by_one and coalesce(p_other_postings > discard_cap, false);
  v_left constant int := greatest(p_most - coalesce(cardinality((p_scored).chunk_ids), 0), 0);
  v_found memory.scored_chunks;
  v_pass memory.keyword_pass;
begin
  if p_one_by_one
     or (v_scattered and p_filter.allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small)) then
    v_pass.scored := chunks_one_by_one(p_layers, p_query, p_keys, p_filter, p_most);
  else
    if v_scattered then
      v_found := chunks_by_key_and_layer(p_layers, p_query, p_keys, p_filter, (p_scored).chunk_ids, v_left);
    else
      v_found := chunks_by_key(p_layers, p_query, p_keys, p_filter, (p_scored).chunk_ids, v_left);
    end if;
    v_pass.scored := row((p_scored).chunk_ids || (v_found).chunk_ids, (p_scored).points || (v_found).points)::memory.scored_chunks;
  end if;
  -- All are needed if they are looked up.
  v_pass.best := best_chunks(v_pass.scored, case when p_filter.looked_up then p_most else p_limit end);
  if p_filter.looked_up then
    v_pass.best := at_places(v_pass.best, first_passing((v_pass.best).chunk_ids, p_filter, p_limit));
    v_pass.passed := cardinality((v_pass.best).chunk_ids);
  else
    v_pass.passed := cardinality((v_pass.scored).chunk_ids);
  end if;
  return v_pass;
end $$;

revoke execute on function memory.score_pass(uuid[], sparsevec, int[], memory.scored_chunks, memory.search_filter, float8, float8, boolean, int, int) from public, memory_service, memory_worker;

-- Part of score_pass. Finds the chunks of the whole Team that contain one of the keys, discards those outside of the scope, and
-- scores the others, at most p_most, in the order of storage. p_seen are the chunks that are left out, or null.
create or replace function memory.chunks_by_key(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_filter memory.search_filter, p_seen uuid[], p_most int
) returns memory.scored_chunks
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
  v_found memory.scored_chunks;
begin
  -- offset 0 keeps the planner from combining the bitmap of the GIN index with one of the primary key: 0.7 ms instead
  -- of 8 ms.
  select coalesce(array_agg(k.chunk_id), '{}'), coalesce(array_agg(-(k.weights <#> p_query)), '{}') into v_found
    from (select c.chunk_id, c.weights
            from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
                   where c.keys && p_keys offset 0) c
           where c.team_id = v_team and c.layer_id = any (p_layers)
             and (p_filter.allowed is null or c.chunk_id in (select unnest(p_filter.allowed)))
             and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
             and (p_seen is null or c.chunk_id not in (select unnest(p_seen)))
           limit p_most) k;
  return v_found;
end $$;

revoke execute on function memory.chunks_by_key(uuid[], sparsevec, int[], memory.search_filter, uuid[], int) from public, memory_service, memory_worker;

-- Part of score_pass, for keys that occur in many more chunks of the Team than of the scope. As chunks_by_key, but finds the
-- chunks by key and by layer at once, with a plan made for the values of each call.
create or replace function memory.chunks_by_key_and_layer(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_filter memory.search_filter, p_seen uuid[], p_most int
) returns memory.scored_chunks
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_team constant uuid := claimed_team();
  v_found memory.scored_chunks;
begin
  select coalesce(array_agg(k.chunk_id), '{}'), coalesce(array_agg(-(k.weights <#> p_query)), '{}') into v_found
    from (select c.chunk_id, c.weights from chunk_keyword c
           where c.team_id = v_team and c.layer_id = any (p_layers) and c.keys && p_keys
             and (p_filter.allowed is null or c.chunk_id in (select unnest(p_filter.allowed)))
             and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
             and (p_seen is null or c.chunk_id not in (select unnest(p_seen)))
           limit p_most) k;
  return v_found;
end $$;

revoke execute on function memory.chunks_by_key_and_layer(uuid[], sparsevec, int[], memory.search_filter, uuid[], int) from public, memory_service, memory_worker;

-- Part of score_pass, for a scope or a filter with few chunks. Reads at most p_most chunks one by one, and scores those that
-- contain one of the keys. The index of keys is not used.
create or replace function memory.chunks_one_by_one(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_filter memory.search_filter, p_most int
) returns memory.scored_chunks
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
  v_found memory.scored_chunks;
begin
  select coalesce(array_agg(k.chunk_id), '{}'), coalesce(array_agg(-(k.weights <#> p_query)), '{}') into v_found from (
    -- The chunks that pass a filter.
    (select c.chunk_id, c.weights
       from (select id from unnest(p_filter.allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and c.layer_id = any (p_layers)
        and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden))))
    union all
    -- Without a filter: the chunks of the scope, layer by layer, as in small_scope_chunks.
    (select c.chunk_id, c.weights
       from (select c.* from unnest(p_layers) l (id)
              cross join lateral (
                select c.chunk_id, c.weights, c.keys from chunk_keyword c
                 where p_filter.allowed is null and c.team_id = v_team and c.layer_id between l.id and l.id offset 0) c
              where p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden))
              limit p_most) c
      where c.keys && p_keys)
  ) k;
  return v_found;
end $$;

revoke execute on function memory.chunks_one_by_one(uuid[], sparsevec, int[], memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of score_pass. Returns the best chunks, at most p_limit, best first; none that has no word of the query.
create or replace function memory.best_chunks(p_chunks memory.scored_chunks, p_limit int) returns memory.scored_chunks
language plpgsql immutable
as $$
declare
  v_best memory.scored_chunks;
begin
  select coalesce(array_agg(s.id order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.id), '{}') into v_best
    from (select a.id, a.points from unnest((p_chunks).chunk_ids, (p_chunks).points) a (id, points)
           where a.points > 0 order by a.points desc, a.id limit p_limit) s;
  return v_best;
end $$;

revoke execute on function memory.best_chunks(memory.scored_chunks, int) from public, memory_service, memory_worker;

-- Returns the chunks at these places of a list, in the order of the places.
create or replace function memory.at_places(p_chunks memory.scored_chunks, p_places int[]) returns memory.scored_chunks
language plpgsql immutable
as $$
declare
  v_chunks memory.scored_chunks;
begin
  select coalesce(array_agg((p_chunks.chunk_ids)[n.place] order by n.nth), '{}'),
         coalesce(array_agg((p_chunks.points)[n.place] order by n.nth), '{}') into v_chunks
    from unnest(p_places) with ordinality n (place, nth);
  return v_chunks;
end $$;

revoke execute on function memory.at_places(memory.scored_chunks, int[]) from public, memory_service, memory_worker;

-- Part of search_candidates. Returns the chunks within the claims that contain words which the query can stand for, with
-- what these words count: for each word of the query its best guess, which counts its percentage of its idf. Most guesses
-- are of no stored word: each is looked up by itself, which takes a third of the time of looking them up at once. Guesses
-- of a word that occurs often are not needed, and one that occurs often itself says little. A guess is never rarer than
-- the word, so that a passage with the word itself comes first.
create or replace function memory.guessed_chunks(
  p_layers uuid[],
  p_keys int[], p_percents int[],       -- the guesses: their keys, and how much each counts, ...
  p_places int[],                       -- ... and the place of the word that each is a guess of, ...
  p_words int[],                        -- ... among the keys of these words
  p_chunks float8,                      -- the number of chunks of the scope, as counted
  p_filter memory.search_filter
) returns memory.scored_chunks -- best first
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  often constant int := 50;             -- a word in so many chunks needs no guesses
  common constant int := 200;           -- a guess in more chunks is not used
  most constant int := 200;             -- chunks that are returned at most
  most_read constant int := 4000;       -- chunks whose filters are looked up at most
  v_team constant uuid := claimed_team();
  v_guessed memory.scored_chunks;
begin
  with word as materialized (
    -- In how many chunks each word occurs, up to `often`.
    select w.place, (select count(*) from (
             select from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c
                           where c.keys && array[w.key] offset 0) c
              where c.team_id = v_team and c.layer_id = any (p_layers)
                and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
              limit often) k) as chunks
      from unnest(p_words) with ordinality w (key, place)
  ), posting as (
    -- A guess with a percentage below 0 is one of a typing error: it counts only if the word occurs nowhere.
    select g.nth, g.place, abs(g.percent) / 100.0::float8 as factor, k.chunk_id, w.chunks as of_word,
           count(*) over (partition by g.nth) as chunks
      from unnest(p_keys, p_percents, p_places) with ordinality g (key, percent, place, nth)
      join word w on w.place = g.place and w.chunks < often and (g.percent > 0 or w.chunks = 0)
      cross join lateral (
        select c.chunk_id
          from (select c.team_id, c.layer_id, c.chunk_id from chunk_keyword c where c.keys && array[g.key] offset 0) c
         where c.team_id = v_team and c.layer_id = any (p_layers)
           and (p_filter.hidden is null or c.chunk_id not in (select unnest(p_filter.hidden)))
         limit common + 1) k
  ), best as (
    select p.chunk_id, p.place,
           max(p.factor * ln(1 + (greatest(p_chunks - f.chunks, 0) + 0.5) / (f.chunks + 0.5))) as points
      from posting p cross join lateral (select greatest(p.chunks, p.of_word) as chunks) f
     where p.chunks <= common
     group by p.chunk_id, p.place
  ), summed as (
    select b.chunk_id, sum(b.points) as points
      from best b
     where p_filter.allowed is null or b.chunk_id in (select unnest(p_filter.allowed))
     group by b.chunk_id order by 2 desc, 1 limit case when p_filter.looked_up then most_read else most end
  )
  select coalesce(array_agg(s.chunk_id order by s.points desc, s.chunk_id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.chunk_id), '{}')
    into v_guessed from summed s;
  if p_filter.looked_up then
    v_guessed := at_places(v_guessed, first_passing(v_guessed.chunk_ids, p_filter, most));
  end if;
  return v_guessed;
end $$;

revoke execute on function memory.guessed_chunks(uuid[], int[], int[], int[], int[], float8, memory.search_filter) from public, memory_service, memory_worker;

-- Part of search_candidates. Adds the chunks of guessed_chunks to those of keyword_candidates: the score of a chunk is
-- that by the words of the query and what its guessed words count. Returns the best p_limit, best first.
create or replace function memory.add_guesses(
  p_query sparsevec,          -- the weights of the query by weigh_query, or null
  p_keyword memory.keyword_hits,
  p_layers uuid[], p_guess_keys int[], p_guess_percents int[], p_guess_places int[],
  p_guessed_words int[], p_chunks float8, p_filter memory.search_filter, -- see guessed_chunks
  p_limit int
) returns memory.keyword_hits
language plpgsql stable
set search_path = memory, public, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
  v_guessed memory.scored_chunks;
  v_hits memory.keyword_hits := p_keyword;
begin
  -- With a rare code of the query, what its other words can stand for does not matter.
  if cardinality(p_guess_keys) = 0 or true = any (p_keyword.has_rare_identifier) then
    return p_keyword;
  end if;
  v_guessed := guessed_chunks(p_layers, p_guess_keys, p_guess_percents, p_guess_places,
    p_guessed_words, p_chunks, p_filter);
  with found as (
    select f.id, f.points from unnest(p_keyword.chunk_ids, p_keyword.points) f (id, points)
  ), guess as (
    select g.id, g.points from unnest(v_guessed.chunk_ids, v_guessed.points) g (id, points)
  ), compared as materialized (
    -- The others are looked up by their id. offset 0 makes the planner do so without statistics.
    select g.id, k.points
      from guess g
      cross join lateral (select coalesce(-(c.weights <#> p_query), 0) as points from chunk_keyword c
                           where c.team_id = v_team and c.chunk_id = g.id offset 0) k
     where g.id not in (select f.id from found f)
  ), summed as (
    select f.id, f.points + coalesce(g.points, 0) as points, g.points as guessed
      from found f left join guess g on g.id = f.id
    union all
    select c.id, c.points + g.points, g.points from compared c join guess g on g.id = c.id
  )
  select coalesce(array_agg(s.id order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.points order by s.points desc, s.id), '{}'),
         coalesce(array_agg(s.guessed order by s.points desc, s.id), '{}'),
         p_keyword.scored + (select count(*) from compared)
    into v_hits.chunk_ids, v_hits.points, v_hits.guessed, v_hits.scored
    from (select * from summed order by points desc, id limit p_limit) s;
  v_hits.has_rare_identifier := contain_keys(v_hits.chunk_ids, v_hits.rare_keys);
  return v_hits;
end $$;

revoke execute on function memory.add_guesses(sparsevec, memory.keyword_hits, uuid[], int[], int[], int[], int[], float8, memory.search_filter, int) from public, memory_service, memory_worker;
