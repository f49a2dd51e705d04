-- Part of search_candidates. Returns the explanation of a search: how many chunks passed the filters (null if none is
-- set), what was read by keyword and by meaning, and how many milliseconds each stage took.
create or replace function memory.explain_search(
  p_weights record,           -- the result of weigh_query
  p_keyword record,           -- the result of keyword_candidates
  p_semantic jsonb,           -- the detail of semantic_candidates, or null
  p_filtered boolean,         -- whether a filter is set
  p_allowed uuid[],           -- the chunks that pass it, or null
  p_hidden uuid[],            -- the chunks that do not pass it, or null
  p_clock timestamptz[]       -- when the search began, and when each stage ended
) returns jsonb
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
  v_team_layer constant boolean := reads_team_layer();
  v_clients constant uuid[] := readable_clients();
  v_passed int;
begin
  -- Without p_allowed: all chunks of the scope, minus p_hidden.
  if p_filtered then
    v_passed := coalesce(cardinality(p_allowed), (
      select count(*) from chunk c
       where c.team_id = v_team
         and ((c.client_id is null and v_team_layer) or c.client_id = any (v_clients)))
      - coalesce(cardinality(p_hidden), 0));
  end if;
  return jsonb_build_object(
    'weights', p_weights.detail,
    'filtered', v_passed,
    'keyword', jsonb_build_object('keysRead', p_keyword.keys_read, 'rareKeys', p_keyword.rare_keys,
      'scored', p_keyword.scored, 'hits', cardinality(p_keyword.chunk_ids)),
    'semantic', p_semantic,
    'milliseconds', (
      select jsonb_object_agg(n.stage, round(1000 * extract(epoch from p_clock[n.nth + 1] - p_clock[n.nth]), 3))
        from unnest(array['weights', 'filters', 'keyword', 'semantic', 'fusion']) with ordinality n (stage, nth)),
    'counted', case when p_weights.sampled > 0 then jsonb_build_object(
      'chunks', p_weights.chunks, 'sampled', p_weights.sampled, 'at', p_weights.counted_at) end);
end $$;

revoke execute on function memory.explain_search(record, record, jsonb, boolean, uuid[], uuid[], timestamptz[]) from public, memory_service, memory_worker;
