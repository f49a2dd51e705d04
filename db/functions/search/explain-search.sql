-- Part of search_candidates. Returns the explanation of a search: how many chunks passed the filters (null if none is
-- set), what was read by keyword and by meaning, and how many milliseconds each stage took.
create or replace function memory.explain_search(
  p_weights record,           -- the result of weigh_query
  p_keyword record,           -- the result of keyword_candidates
  p_semantic jsonb,           -- the detail of semantic_candidates, or null
  p_filter record,            -- the result of choose_filter
  p_clock timestamptz[]       -- when the search began, and when each stage ended
) returns jsonb
language plpgsql stable
as $$
begin
  return jsonb_build_object(
    'weights', p_weights.detail,
    'filtered', case when p_filter.is_set then
      cardinality(coalesce(p_filter.allowed, passing_chunks(p_filter, null))) end,
    'keyword', jsonb_build_object('keysRead', p_keyword.keys_read, 'rareKeys', p_keyword.rare_keys,
      'scored', p_keyword.scored, 'hits', cardinality(p_keyword.chunk_ids)),
    'semantic', p_semantic,
    'milliseconds', (
      select jsonb_object_agg(n.stage, round(1000 * extract(epoch from p_clock[n.nth + 1] - p_clock[n.nth]), 3))
        from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
    'counted', case when p_weights.sampled > 0 then jsonb_build_object(
      'chunks', p_weights.chunks, 'sampled', p_weights.sampled, 'at', p_weights.counted_at) end);
end $$;

revoke execute on function memory.explain_search(record, record, jsonb, record, timestamptz[]) from public, memory_service, memory_worker;
