-- Part of fuse_candidates. Returns for each candidate what the chunks of its source that were found by keyword add to
-- its score: a share of the difference between the score of the source and its own. The score of a source is a mean of
-- its best three chunks. The second and the third count at least most of the best, so that a source does not win by its
-- length: a chunk that is the only one found of its source keeps its score, and chunks that match little change
-- nothing. null for a chunk whose source was not found by keyword.
create or replace function memory.source_evidence(
  p_sources uuid[],           -- the sources of the chunks found by keyword, best first, and then of the others
  p_points float8[],          -- the scores of the former
  p_lowest float8             -- what counts as the score of the latter
) returns float8[]
language plpgsql immutable
as $$
declare
  share constant float8 := 0.4;         -- weight of the score of the source
  least constant float8 := 0.6;         -- what the second and the third chunk count at least, of the best
begin
  -- greatest ignores the points of chunks that do not exist, which are null.
  return (
    select array_agg(share * ((e.best + greatest(e.second, least * e.best) + greatest(e.third, least * e.best))
                              / (1 + 2 * least) - coalesce(e.points, p_lowest)) order by e.rank)
      from (select h.points, h.rank, first_value(h.points) over source as best,
                   nth_value(h.points, 2) over source as second, nth_value(h.points, 3) over source as third
              from unnest(p_sources, p_points) with ordinality h (source_id, points, rank)
            window source as (partition by h.source_id order by h.rank
                              rows between unbounded preceding and unbounded following)) e);
end $$;

revoke execute on function memory.source_evidence(uuid[], float8[], float8) from public, memory_service, memory_worker;
