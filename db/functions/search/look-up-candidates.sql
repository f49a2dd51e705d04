-- Part of fuse_candidates. Looks up each candidate once: its source, for the evidence of the source, and its time and
-- the hash of its text, which search_hits compares. All results are in the order of p_chunks.
create or replace function memory.look_up_candidates(
  p_chunks uuid[],            -- the chunks found by keyword, best first, and then the others
  p_points float8[],          -- the scores of the former
  p_lowest float8,            -- what counts as the score of the latter
  out sources uuid[], out times timestamptz[], out hashes bytea[],
  out evidence float8[]       -- by source_evidence
)
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- offset 0 looks each chunk up by its id, also without statistics.
  select array_agg(k.source_id order by a.nth), array_agg(k.created_at order by a.nth),
         array_agg(k.text_hash order by a.nth)
    into sources, times, hashes
    from unnest(p_chunks) with ordinality a (id, nth)
    left join lateral (select c.source_id, c.created_at, c.text_hash from chunk c
                        where c.team_id = v_team and c.id = a.id offset 0) k on true;
  evidence := source_evidence(sources, p_points, p_lowest);
end $$;

revoke execute on function memory.look_up_candidates(uuid[], float8[], float8) from public, memory_service, memory_worker;
