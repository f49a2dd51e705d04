-- Part of search_candidates. Returns the best chunks by keyword, best first, with their scores, whether each contains a
-- rare identifier, and what was read. Chunks outside of the scope can change how chunks are found, but not which.
create or replace function memory.keyword_candidates(
  p_layers uuid[],            -- the layers that the claims can read
  p_query sparsevec,          -- the weights of the query by weigh_query, or null
  p_keys int[],               -- candidate keys, and by weigh_query the number of chunks with each ...
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
  -- Estimated postings in the scope that the first pass reads: one for each 40 chunks, from 500 to 2,000.
  posting_cap constant float8 := least(greatest(p_chunks / 40, 500), 2000);
  read_cap constant float8 := 10000;    -- the same for later passes
  scored_cap constant int := 4000;      -- chunks that a pass scores at most, also if the estimate was too low
  common_cap constant int := 1000;      -- the same for words that occur in more chunks than posting_cap
  rare_df constant int := 20;           -- an identifier that occurs in more chunks is not rare
  small constant int := 1000;           -- up to this many allowed chunks are read one by one
  v_hits memory.keyword_hits := row('{}', '{}', '{}', 0, '{}', '{}', null)::memory.keyword_hits;
  v_one_by_one boolean := coalesce(cardinality(p_filter.allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest record; v_scored record;
  v_first_keys int[];                   -- keys of the first pass; chunks with one of them are scored first
  v_most int; v_seen uuid[];            -- chunks that this pass scores at most, and those that the first one scored
begin
  if p_query is null or cardinality(p_keys) = 0 then
    return v_hits;
  end if;
  if cardinality(p_identifier_keys) > 0 then
    v_hits.rare_keys := array(select e.key from unnest(p_keys, p_frequencies) e (key, df)
                               where e.df <= rare_df and e.key = any (p_identifier_keys) order by e.df, e.key);
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if p_limit of
  -- its chunks pass the filter, or it finds a rare identifier. Else, if the scope has few chunks, the second pass scores
  -- all of them. If it has many, the second and third passes read more postings, including the next key if it is not too
  -- common. If no chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was found.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_rarest.keys) = cardinality(v_hits.keys_read)) then
      exit when v_scored.passed > 0 or p_filter.looked_up;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys.
    v_hits.keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    v_first_keys := coalesce(v_first_keys, v_hits.keys_read);
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    v_scored := score_pass(p_layers, p_query, v_first_keys, v_hits.keys_read, v_seen, p_filter, p_chunks,
      v_rarest.other_postings, v_one_by_one, v_most, p_limit);
    v_hits.chunk_ids := v_scored.chunk_ids; v_hits.points := v_scored.points; v_hits.scored := v_scored.scored;
    -- Of the best chunks only: reading the keys of all scored chunks took as long as scoring them.
    v_hits.has_rare_identifier := contain_keys(v_hits.chunk_ids, v_hits.rare_keys);
    exit when v_one_by_one or v_scored.passed >= p_limit or true = any (v_hits.has_rare_identifier);
    -- All keys were read and no limit was reached: no other chunk contains a word of the query.
    exit when case when v_hits.scored < v_most then cardinality(v_hits.keys_read) = cardinality(p_keys)
                   else p_filter.looked_up end;
    if v_pass = 1 then -- The second pass scores every chunk if there are few.
      v_one_by_one := coalesce(cardinality(p_filter.allowed) <= scored_cap, scope_holds_at_most(scored_cap));
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000)); v_seen := coalesce(v_seen, v_scored.seen);
  end loop;
  -- Not enough of the chunks that were scored pass the filter, and others can: those that pass are gathered first.
  if p_filter.looked_up and v_scored.passed < p_limit and not v_one_by_one
     and not true = any (v_hits.has_rare_identifier)
     and (v_hits.scored >= v_most or v_scored.passed = 0 and cardinality(v_hits.keys_read) < cardinality(p_keys)) then
    p_filter.allowed := passing_chunks(p_filter, null); p_filter.looked_up := false;
    return keyword_candidates(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies, p_identifier_keys,
      p_chunks, p_filter, p_limit);
  end if;
  return v_hits;
end $$;
revoke execute on function memory.keyword_candidates(uuid[], sparsevec, int[], float8[], float8[], int[], float8, memory.search_filter, int) from public, memory_service, memory_worker;

-- Part of keyword_candidates. Scores the chunks of a pass: chooses how to find them, by how many postings outside of
-- the scope would be read and discarded. Returns the best chunks that pass the filter, best first, with their scores and
-- with how many were scored. work_mem has room for the ids of all chunks of a Team: a set of ids that does not fit is
-- not hashed, and each row would be compared with the whole set.
create or replace function memory.score_pass(
  p_layers uuid[], p_query sparsevec,
  p_first int[],              -- the keys of the first pass: chunks with one of them are scored first
  p_keys int[],               -- the keys of this pass
  p_seen uuid[],              -- the chunks of the first pass; null in the first pass
  p_filter memory.search_filter,
  p_chunks float8,            -- the number of chunks of the scope, as counted
  p_other_postings float8,    -- estimated postings outside of the scope; null if the layers there are small
  p_one_by_one boolean,       -- whether chunks are read one by one, without postings
  p_most int, p_limit int,    -- how many chunks are scored at most, and how many are returned
  out chunk_ids uuid[], out points float8[], out scored int,
  out seen uuid[],            -- all chunks that were scored
  -- How many of the scored chunks pass the filter. Counted up to p_limit if they are looked up.
  out passed int
)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
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
  -- score_by_key_and_layer.
  scan_cap constant int := 300;
  -- The count can be out of date. A scope that stores more chunks than this is not read one by one.
  small constant int := 1000;
  v_scattered constant boolean := not p_one_by_one and coalesce(p_other_postings > discard_cap, false);
  -- All scored chunks are needed if they are looked up.
  v_limit constant int := case when p_filter.looked_up then p_most else p_limit end;
  v_found record;
  v_places int[];
begin
  if p_one_by_one
     or (v_scattered and p_filter.allowed is null and p_chunks <= scan_cap and scope_holds_at_most(small)) then
    -- Reads the chunks one by one.
    v_found := score_one_by_one(p_layers, p_query, p_keys, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  elsif v_scattered then
    -- Finds the chunks by key and by layer at once.
    v_found := score_by_key_and_layer(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  else
    -- Finds the chunks by key, in all layers.
    v_found := score_by_key(
      p_layers, p_query, p_first, p_keys, p_seen, p_filter.allowed, p_filter.hidden,
      p_most, v_limit);
  end if;
  scored := v_found.scored;
  seen := v_found.chunk_ids;
  if p_filter.looked_up then
    v_places := first_passing(v_found.chunk_ids, p_filter, p_limit);
    select coalesce(array_agg(seen[n.place] order by n.nth), '{}'),
           coalesce(array_agg((v_found.points)[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
    passed := cardinality(chunk_ids);
  else
    chunk_ids := v_found.chunk_ids;
    points := v_found.points;
    passed := scored;
  end if;
end $$;

revoke execute on function memory.score_pass(uuid[], sparsevec, int[], int[], uuid[], memory.search_filter, float8, float8, boolean, int, int) from public, memory_service, memory_worker;

-- Part of score_pass. Finds the chunks of the whole Team that contain one of the keys, and discards those outside of
-- the scope. p_first has the keys of the first pass. In a later pass, p_seen has the chunks of the first pass,
-- else null. Scores at most p_most chunks, in the order of storage, and returns the best p_limit, best first. From
-- `compared` on, the statement must be the same in score_by_key, score_by_key_and_layer and score_one_by_one.
create or replace function memory.score_by_key(
  p_layers uuid[], p_query sparsevec, p_first int[], p_keys int[], p_seen uuid[],
  p_allowed uuid[], p_hidden uuid[], p_most int, p_limit int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass. offset 0 keeps the planner from combining the bitmap of the GIN index
    -- with one of the primary key: 0.7 ms instead of 8 ms.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where c.keys && p_first offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights
       from (select c.team_id, c.layer_id, c.chunk_id, c.weights from chunk_keyword c
              where p_seen is not null and c.keys && p_keys offset 0) c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
        and c.chunk_id not in (select unnest(p_seen))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

revoke execute on function memory.score_by_key(uuid[], sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int) from public, memory_service, memory_worker;

-- Part of score_pass, for keys that occur in many more chunks of the Team than of the scope. Finds the chunks by key
-- and by layer at once, with a plan made for the values of each call. p_first has the keys of the first pass. In a
-- later pass, p_seen has the chunks of the first pass, else null. Scores at most p_most chunks, in the order of
-- storage, and returns the best p_limit, best first. From `compared` on, the statement must be the same in
-- score_by_key, score_by_key_and_layer and score_one_by_one.
create or replace function memory.score_by_key_and_layer(
  p_layers uuid[], p_query sparsevec, p_first int[], p_keys int[], p_seen uuid[],
  p_allowed uuid[], p_hidden uuid[], p_most int, p_limit int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks with a key of the first pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_first
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
    union all
    -- In a later pass: the chunks with a key of this pass.
    (select c.chunk_id, c.weights from chunk_keyword c
      where p_seen is not null
        and c.team_id = v_team and c.layer_id = any (p_layers)
        and c.keys && p_keys and c.chunk_id not in (select unnest(p_seen))
        and (p_allowed is null or c.chunk_id in (select unnest(p_allowed)))
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden)))
      limit p_most)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

revoke execute on function memory.score_by_key_and_layer(uuid[], sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int) from public, memory_service, memory_worker;

-- Part of score_pass, for a scope or a filter with few chunks. Reads the chunks one by one and scores those that
-- contain one of the keys. Scores at most p_most chunks and returns the best p_limit, best first. The index of keys is
-- not used. From `compared` on, the statement must be the same in score_by_key, score_by_key_and_layer and
-- score_one_by_one.
create or replace function memory.score_one_by_one(
  p_layers uuid[], p_query sparsevec, p_keys int[], p_allowed uuid[], p_hidden uuid[],
  p_most int, p_limit int,
  out chunk_ids uuid[], out points float8[], out scored int
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  with candidate as (
    -- The chunks that pass a filter.
    (select c.chunk_id, c.weights
       from (select id from unnest(p_allowed) a (id) order by id limit p_most) a
       join chunk_keyword c on c.team_id = v_team and c.chunk_id = a.id
      where (c.keys && p_keys) is true
        and c.layer_id = any (p_layers)
        and (p_hidden is null or c.chunk_id not in (select unnest(p_hidden))))
    union all
    -- Without a filter: the chunks of the scope, layer by layer, as in small_scope_chunks.
    (select c.chunk_id, c.weights
       from (select c.* from unnest(p_layers) l (id)
              cross join lateral (
                select c.chunk_id, c.weights, c.keys from chunk_keyword c
                 where p_allowed is null and c.team_id = v_team and c.layer_id between l.id and l.id offset 0) c
              where p_hidden is null or c.chunk_id not in (select unnest(p_hidden))
              limit p_most) c
      where c.keys && p_keys)
  ), compared as materialized (
    select k.chunk_id, -(k.weights <#> p_query) as points from candidate k limit p_most
  ), hits as (
    select s.chunk_id, s.points from compared s where s.points > 0 order by s.points desc, s.chunk_id limit p_limit
  )
  select (select count(*) from compared),
         coalesce(array_agg(h.chunk_id order by h.points desc, h.chunk_id), '{}'),
         coalesce(array_agg(h.points order by h.points desc, h.chunk_id), '{}')
    into scored, chunk_ids, points
    from hits h;
end $$;

revoke execute on function memory.score_one_by_one(uuid[], sparsevec, int[], uuid[], uuid[], int, int) from public, memory_service, memory_worker;

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
  p_filter memory.search_filter,
  out chunk_ids uuid[], out points float8[] -- best first
)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  often constant int := 50;             -- a word in so many chunks needs no guesses
  common constant int := 200;           -- a guess in more chunks is not used
  most constant int := 200;             -- chunks that are returned at most
  most_read constant int := 4000;       -- chunks whose filters are looked up at most
  v_team constant uuid := claimed_team();
  v_places int[];
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
    into chunk_ids, points from summed s;
  if p_filter.looked_up then
    v_places := first_passing(chunk_ids, p_filter, most);
    select coalesce(array_agg(chunk_ids[n.place] order by n.nth), '{}'),
           coalesce(array_agg(points[n.place] order by n.nth), '{}')
      into chunk_ids, points from unnest(v_places) with ordinality n (place, nth);
  end if;
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
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_guessed record;
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
