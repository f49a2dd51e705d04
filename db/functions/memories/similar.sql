-- Returns the published memories of a layer that are similar to a text, at most p_limit, and as many in review if the text
-- is that of a memory in review; the most similar first. A memory with a vector of the model is compared by meaning:
-- similarity is the cosine. Any other is compared by words: similarity is its keyword score, as a share of that of a text
-- with all words of the text. basis is meaning or words. Returns nothing if the claims cannot read the layer.
create or replace function memory.similar_memories(
  p_layer uuid,               -- the layer, of the claimed Team, or nothing is returned
  p_embedding halfvec,        -- of unit length, or null to compare by words only
  p_model text,               -- the model of p_embedding
  p_dims int[],               -- dimensions of the text's terms, and ...
  p_weights real[],           -- ... the weight of each
  p_keys int[],               -- keys of the text
  p_limit int,
  p_queued uuid               -- the memory in review whose text it is, or null
) returns table (memory_id uuid, similarity float8, basis text)
language plpgsql stable security definer
set search_path = memory, public, pg_temp
set plan_cache_mode = force_custom_plan
-- Without statistics of the keys the planner would read every memory with its terms: 1 s instead of 10 ms.
set enable_seqscan = off
as $$
declare
  rarest constant int := 128;           -- keys by which candidates are found at most, ...
  posting_cap constant int := 2000;     -- ... and the chunks that they occur in at most, as estimated
  scored_cap constant int := 4000;      -- candidates compared by words at most, also if the estimate was too low
  least_meaning constant float8 := 0.5; -- least similarity by meaning, ...
  least_words constant float8 := 0.3;   -- ... and by words
  -- With fewer chunks it is not known which words are common: they weigh as much as others, so the least is higher.
  few_chunks constant int := 50;
  least_words_of_few constant float8 := 0.45;
  v_team constant uuid := claimed_team();
  v_weighed memory.query_weights;
  v_keys int[];
begin
  if v_team is null or not p_layer = any (readable_layers()) then
    return;
  end if;
  -- The weights are only the idf: the factor of each term is 1. Its weight in the text is passed as its length.
  v_weighed := weigh_query(readable_layers(), p_dims,
    array_fill(1::real, array[coalesce(cardinality(p_dims), 0)]), p_weights, p_keys, false);
  -- The rarest keys, up to a number of chunks.
  v_keys := (rarest_keys(p_keys, v_weighed.key_frequencies, null, posting_cap)).keys[1:rarest];

  return query
  with published as (
    -- The memories that can be compared by meaning.
    select m.id, m.source_id from memory_item m where p_embedding is not null and m.team_id = v_team
       and m.layer_id = p_layer and m.state = 'published' and not is_due(m.expires_at)
  ), by_meaning as (
    select p.id, 'published' as state, max(-(e.embedding <#> p_embedding)) as points
      from published p
      join chunk c on c.team_id = v_team and c.source_id = p.source_id
      join chunk_embedding e on e.team_id = v_team and e.chunk_id = c.id and e.model = p_model
     group by p.id
    union all
    select m.id, m.state, -(m.embedding <#> p_embedding) from memory_item m
     where p_embedding is not null and m.team_id = v_team and m.layer_id = p_layer
       and m.state = 'review' and m.id <> p_queued and m.embedding_model = p_model and not is_due(m.expires_at)
  ), by_words as (
    -- The others. offset 0 makes the planner use only the index of keys, as in chunks_by_key.
    select k.id, k.state, -(k.weights <#> v_weighed.weights) / v_weighed.max_score as points
      from (select m.team_id, m.layer_id, m.id, m.state, m.weights, m.expires_at from memory_item m
             where m.keys && v_keys offset 0) k
     where v_weighed.weights is not null and v_weighed.max_score > 0
       and k.team_id = v_team and k.layer_id = p_layer and not is_due(k.expires_at)
       and (k.state = 'published' or k.state = 'review' and k.id <> p_queued)
       and not exists (select from by_meaning n where n.id = k.id)
     limit scored_cap
  )
  select a.id, least(a.points, 1)::float8, a.how from (
    select l.*, row_number() over (partition by l.state order by l.points desc, l.id desc) as place
      from (select n.*, 'meaning' as how from by_meaning n where n.points >= least_meaning
            union all
            select w.*, 'words' from by_words w
             where w.points >= case when v_weighed.chunks < few_chunks then least_words_of_few else least_words end) l
  ) a where a.place <= p_limit order by 2 desc, 1 desc;
end $$;

revoke execute on function memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int, uuid) from public, memory_service, memory_worker;
grant execute on function memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int, uuid) to memory_service;
