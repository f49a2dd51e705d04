-- Part of search_candidates. Returns the best chunks by keyword, best first, with their scores, whether each contains a
-- rare identifier of the query, and what was read to find them. Chunks outside of the scope can change how the chunks
-- are found, but not which are found.
create or replace function memory.keyword_candidates(
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
  small constant int := 1000;           -- up to this many allowed chunks are read one by one, without postings
  v_one_by_one boolean := coalesce(cardinality(p_allowed) <= small, false);
  v_cap float8 := posting_cap;
  v_rarest record;
  v_scored record;
  v_first_keys int[];                   -- keys of the first pass; chunks with one of them are scored first
  v_most int;                           -- chunks that this pass scores at most
begin
  chunk_ids := '{}'; points := '{}'; has_rare_identifier := '{}'; scored := 0; keys_read := '{}'; rare_keys := '{}';
  if p_query is null or cardinality(p_keys) = 0 then
    return;
  end if;
  -- The keys of rare identifiers.
  if cardinality(p_identifier_keys) > 0 then
    select coalesce(array_agg(e.key order by e.df, e.key), '{}') into rare_keys
      from unnest(p_keys, p_frequencies) e (key, df) where e.df <= rare_df and e.key = any (p_identifier_keys);
  end if;
  -- Each pass reads the chunks with the rarest keys, up to a number of postings. The first pass is enough if it scores
  -- p_limit chunks or finds a rare identifier. Else, if the scope has few chunks, the second pass scores all of them.
  -- If it has many, the second and third passes read more postings, including the next key if it is not too common. If
  -- no chunk was scored by then, the last pass scores as many chunks of the scope as a pass can.
  for v_pass in 1 .. 4 loop
    v_rarest := rarest_keys(p_keys, p_frequencies, p_team_frequencies, v_cap);
    -- No key is left to add: ends, or reads chunks one by one if nothing was scored.
    if not v_one_by_one and (v_pass > 3 or cardinality(v_rarest.keys) = cardinality(keys_read)) then
      exit when scored > 0;
      v_one_by_one := true;
    end if;
    -- Chunks that are read one by one are compared with all keys, because no postings are read.
    keys_read := case when v_one_by_one then p_keys else v_rarest.keys end;
    v_first_keys := coalesce(v_first_keys, keys_read);
    -- If the words are common, it is chance which of their chunks are scored. So fewer are scored.
    v_most := case when v_one_by_one or v_rarest.postings <= posting_cap then scored_cap else common_cap end;
    v_scored := score_pass(p_team_layer, p_clients, p_query, v_first_keys, keys_read,
      case when v_pass > 1 then chunk_ids end, p_allowed, p_hidden, p_chunks, v_rarest.other_postings, v_one_by_one,
      v_most, p_limit);
    chunk_ids := v_scored.chunk_ids; points := v_scored.points; scored := v_scored.scored;
    -- Only for the best chunks: reading the keys of all scored chunks took as long as scoring them.
    has_rare_identifier := contain_keys(chunk_ids, rare_keys);
    exit when v_one_by_one or scored >= p_limit or true = any (has_rare_identifier);
    -- All keys were read, and no limit was reached: no other chunk contains a word of the query.
    exit when cardinality(keys_read) = cardinality(p_keys) and scored < v_most;
    -- The second pass scores every chunk if there are few.
    if v_pass = 1 then
      v_one_by_one := case when p_allowed is null then scope_holds_at_most(scored_cap)
                           else cardinality(p_allowed) <= scored_cap end;
    end if;
    v_cap := least(read_cap, greatest(v_rarest.next_postings, 2000));
  end loop;
end $$;

revoke execute on function memory.keyword_candidates(boolean, uuid[], sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int) from public, memory_service, memory_worker;
