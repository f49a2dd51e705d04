-- Part of search_candidates and similar_memories. Returns the query's side of BM25 (Robertson and Zaragoza, 2009): for
-- each term idf = ln(1 + (n - df + 0.5) / (df + 0.5)), times the factor of the term. n and df are sums over the layers
-- that the caller can read, and df is estimated from samples of these layers. The chunk's side is
-- chunk_keyword.weights. The readable layers are parameters, because parsing the ids of hundreds of clients takes as
-- long as looking up a word.
create or replace function memory.weigh_query(
  p_layers uuid[],
  p_dims int[], p_factors real[], p_lengths real[], p_keys int[], p_explain boolean,
  out weights sparsevec,
  out max_score float8,                 -- the score of a text with the whole query: sum of weight times length in words
  -- The number of chunks with each key, in the order of the keys. It is 0.5 for keys in one chunk or none: most terms
  -- occur in one chunk, so the difference does not show how rare they are.
  out key_frequencies float8[],
  -- The same in all layers of the Team, or null if the layers outside of the scope have few chunks. score_pass chooses
  -- by it how chunks are found. It does not change which are found.
  out team_key_frequencies float8[],
  out chunks float8,                    -- n; 1 if nothing was counted
  out sampled int,                      -- how many of the chunks were sampled
  out counted_at timestamptz,           -- when the oldest of the counts was made
  out detail jsonb                      -- with p_explain: the df and the weight of each term
)
language plpgsql stable
-- A query can have thousands of terms. Without statistics the planner would compare each of them with each count.
set enable_nestloop = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_counts record;
begin
  v_counts := readable_counts(p_layers);
  chunks := v_counts.chunks;
  sampled := v_counts.sampled;
  counted_at := v_counts.counted_at;

  with counted as materialized (
    -- The df of terms that were counted, for the weights ('d') and for the keys ('k').
    select * from term_frequencies(p_dims, p_keys, v_counts)
  ), asked as (
    -- The terms and keys of the query.
    select 'd'::"char" as space, q.term, q.factor, q.length, q.place
      from unnest(p_dims, p_factors, p_lengths) with ordinality as q (term, factor, length, place)
    union all
    select 'k', q.term, null, null, q.place from unnest(p_keys) with ordinality as q (term, place)
  ), weighed as (
    -- A term that was not counted, or in one chunk only, has df 0.5.
    select q.space, q.term, q.length, f.df, f.team_df,
           (q.factor * ln(1 + (chunks - least(f.df, chunks) + 0.5) / (least(f.df, chunks) + 0.5)))::real as weight
      from asked q left join counted c on c.space = q.space and c.term = q.term
      cross join lateral (select case when c.df > 1 then c.df else 0.5 end as df,
                                 case when c.team_df > 1 then c.team_df else 0.5 end as team_df) f
     -- A sparsevec requires ascending dimensions. Frequencies are returned in the order of p_keys.
     order by q.space, case q.space when 'd' then q.term else q.place end
  )
  select ('{' || string_agg(w.term || ':' || w.weight, ',') filter (where w.weight > 0) || '}/536870912')::sparsevec,
         coalesce(sum(w.weight * w.length) filter (where w.weight > 0), 0),
         array_agg(w.df) filter (where w.space = 'k'),
         array_agg(w.team_df) filter (where w.space = 'k' and v_counts.team_scales is not null),
         case when p_explain then coalesce(jsonb_agg(
           jsonb_build_object('dim', w.term, 'documents', least(w.df, chunks), 'weight', w.weight))
             filter (where p_explain and w.space = 'd'), '[]') end
    into weights, max_score, key_frequencies, team_key_frequencies, detail
    from weighed w;
end $$;

revoke execute on function memory.weigh_query(uuid[], int[], real[], real[], int[], boolean) from public, memory_service, memory_worker;
