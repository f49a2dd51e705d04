-- Part of search_candidates. Fuses the chunks found by keyword with those found by meaning. score is the sum of the
-- z-scores; a chunk that contains a rare identifier of the query comes before all others. The keyword score includes
-- the evidence of the source, and keyword_rank is the place by both. Returns the best p_limit.
create or replace function memory.fuse_candidates(
  -- The chunks found by keyword, best first, their scores, what guesses count of them, and whether it is a rare code.
  p_keyword_chunks uuid[], p_points float8[], p_guessed float8[], p_has_rare_identifier boolean[],
  p_max_score float8,         -- the keyword score of a text with the whole query
  p_semantic_chunks uuid[],   -- the chunks found by meaning, nearest first, and ...
  p_similarities float8[],    -- ... their cosines with p_embedding
  p_most int,                 -- how many chunks are found at most by keyword, and by meaning
  p_embedding halfvec, p_model text, p_min_similarity float8, p_limit int, p_explain boolean
) returns table (
  place int, chunk_id uuid, score float8, semantic_rank int, keyword_rank int, detail jsonb,
  source_id uuid, created_at timestamptz, text_hash bytea
)
language plpgsql stable rows 50
as $$
declare
  keyword_weight constant float8 := 2.5;  -- weight of the keyword z-score
  least_share constant float8 := 0.05;  -- least deviation, as a share of the score of the whole query, ...
  short_share constant float8 := 0.1;   -- ... plus up to this share, in proportion to the missing hits
  rounding constant float8 := 0.0005;   -- rounding error of a cosine of halfvecs
  v_team constant uuid := claimed_team();
  -- What counts as the keyword score of a chunk that was not found by keyword, without evidence.
  v_lowest constant float8 := case when cardinality(p_points) < p_most then 0 else p_points[p_most] end;
  -- All chunks: those found by keyword come first.
  v_chunks constant uuid[] := p_keyword_chunks
    || array(select unnest(p_semantic_chunks) except all select unnest(p_keyword_chunks));
  v_stored record;
begin
  v_stored := look_up_candidates(v_chunks, p_points, v_lowest);
  return query
  with candidate as (
    -- Those found by keyword are ranked with the evidence of the source. The others have no points.
    select a.id, a.source_id, a.created_at, a.text_hash, a.points + a.evidence as points, a.evidence, a.guessed,
           coalesce(a.has_rare_identifier, false) as identifier,
           case when a.points is not null then row_number() over (order by -(a.points + a.evidence), a.id) end as rank
      from unnest(v_chunks, p_points, p_guessed, p_has_rare_identifier, v_stored.evidence, v_stored.sources,
             v_stored.times, v_stored.hashes) a (id, points, guessed, has_rare_identifier, evidence, source_id, created_at, text_hash)
  ), by_meaning as (
    select n.chunk_id, n.points, n.rank
      from unnest(p_semantic_chunks, p_similarities) with ordinality n (chunk_id, points, rank)
     where p_min_similarity is null or n.points + rounding >= p_min_similarity
  ), keyword_norm as (
    -- If fewer than p_most were found, the others count as zeros: a single weak hit must not get a high z-score.
    select sum(k.points) / p_most as mean, greatest(coalesce(nullif(
             sqrt(greatest(sum(k.points * k.points) / p_most - (sum(k.points) / p_most) ^ 2, 0)), 0), 1),
             p_max_score * (least_share + short_share * (1 - count(*)::float8 / p_most))) as deviation,
           case when count(*) < p_most then 0 else min(k.points) end as lowest
      from candidate k where k.points is not null
  ), semantic_norm as (
    -- Over all nearest chunks, including those below p_min_similarity: a z-score compares a hit with the others.
    select avg(n.points) as mean, coalesce(nullif(stddev_pop(n.points), 0), 1) as deviation, min(n.points) as lowest
      from unnest(p_similarities) n (points)
  ), scored as (
    -- A chunk that was found only one way gets the lowest score of the other way; by keyword, with the evidence of its
    -- source. Without a vector of the model, its semantic z-score is 0.
    select k.*, s.rank as s_rank,
           coalesce(keyword_weight * (coalesce(k.points, greatest(kn.lowest, v_lowest + k.evidence)) - kn.mean)
                    / kn.deviation, 0) as k_z,
           case when p_embedding is null or s.chunk_id is null and not exists (
                  select from chunk_embedding e
                   where e.team_id = v_team and e.chunk_id = k.id and (e.model = p_model) is true) then 0
                else coalesce((coalesce(s.points, sn.lowest) - sn.mean) / sn.deviation, 0) end as s_z
      -- All of by_meaning are candidates. A full join compares hashes: a left join would compare all with all.
      from candidate k full join by_meaning s on s.chunk_id = k.id
      cross join keyword_norm kn cross join semantic_norm sn
     where k.points is not null or s.chunk_id is not null
  )
  select (row_number() over (order by f.identifier desc, f.k_z + f.s_z desc, f.id))::int, f.id,
         (f.k_z + f.s_z)::float8, f.s_rank::int, f.rank::int,
         case when p_explain then jsonb_build_object('semanticZ', f.s_z, 'keywordZ', f.k_z, 'sourceEvidence', f.evidence,
           'guessed', f.guessed, 'identifier', f.identifier,
           'similarity', (select -(e.embedding <#> p_embedding) from chunk_embedding e
                           where e.team_id = v_team and e.chunk_id = f.id and (e.model = p_model) is true)) end,
         f.source_id, f.created_at, f.text_hash
    from scored f order by 1 limit p_limit;
end $$;

revoke execute on function memory.fuse_candidates(uuid[], float8[], float8[], boolean[], float8, uuid[], float8[], int, halfvec, text, float8, int, boolean) from public, memory_service, memory_worker;
