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
  p_filter record,            -- the result of choose_filter
  p_limit int,                -- how many chunks are returned at most
  out chunk_ids uuid[], out points float8[], out has_rare_identifier boolean[],
  out scored int, out keys_read int[], out rare_keys int[]
)
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
  v_one_by_one boolean := coalesce(cardinality(p_filter.allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest record; v_scored record;
  v_first_keys int[];                   -- keys of the first pass; chunks with one of them are scored first
  v_most int; v_seen uuid[];            -- chunks that this pass scores at most, and those that the first one scored
begin
  chunk_ids := '{}'; points := '{}'; has_rare_identifier := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  if cardinality(p_identifier_keys) > 0 then
    rare_keys := array(select e.key from unnest(p_keys, p_frequencies) e (key, df)
                        where e.df <= rare_df and e.key = any (p_identifier_keys) order by e.df, e.key);
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if p_limit of
  -- its chunks pass the filter, or it finds a rare identifier. Else, if the scope has few chunks, the second pass scores
  -- all of them. If it has many, the second and third passes read more postings, including the next key if it is not too
  -- common. If no chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was found.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_rarest.keys) = cardinality(keys_read)) then
      exit when v_scored.passed > 0 or p_filter.looked_up;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys.
    keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    v_first_keys := coalesce(v_first_keys, keys_read);
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    v_scored := score_pass(p_layers, p_query, v_first_keys, keys_read, v_seen, p_filter, p_chunks,
      v_rarest.other_postings, v_one_by_one, v_most, p_limit);
    chunk_ids := v_scored.chunk_ids; points := v_scored.points; scored := v_scored.scored;
    -- Of the best chunks only: reading the keys of all scored chunks took as long as scoring them.
    has_rare_identifier := contain_keys(chunk_ids, rare_keys);
    exit when v_one_by_one or v_scored.passed >= p_limit or true = any (has_rare_identifier);
    -- All keys were read and no limit was reached: no other chunk contains a word of the query.
    exit when case when scored < v_most then cardinality(keys_read) = cardinality(p_keys) else p_filter.looked_up end;
    if v_pass = 1 then -- The second pass scores every chunk if there are few.
      v_one_by_one := coalesce(cardinality(p_filter.allowed) <= scored_cap, scope_holds_at_most(scored_cap));
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000)); v_seen := coalesce(v_seen, v_scored.seen);
  end loop;
  -- Not enough of the chunks that were scored pass the filter, and others can: those that pass are gathered first.
  if p_filter.looked_up and v_scored.passed < p_limit and not v_one_by_one and not true = any (has_rare_identifier)
     and (scored >= v_most or v_scored.passed = 0 and cardinality(keys_read) < cardinality(p_keys)) then
    p_filter.allowed := passing_chunks(p_filter, null); p_filter.looked_up := false;
    select k.* into chunk_ids, points, has_rare_identifier, scored, keys_read, rare_keys
      from keyword_candidates(p_layers, p_query, p_keys, p_frequencies, p_team_frequencies,
             p_identifier_keys, p_chunks, p_filter, p_limit) k;
  end if;
end $$;
revoke execute on function memory.keyword_candidates(uuid[], sparsevec, int[], float8[], float8[], int[], float8, record, int) from public, memory_service, memory_worker;
