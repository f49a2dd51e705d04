-- Part of weigh_query. Returns in how many chunks the terms and keys of a query occur, of those that were counted.
create or replace function memory.term_frequencies(
  p_dims int[], p_keys int[],
  p_counts record             -- the result of readable_counts
) returns table (
  space "char", term int,
  df float8,                  -- in the layers that the caller can read
  team_df float8              -- of keys, in all layers; null if the layers outside have few chunks
)
language plpgsql stable rows 100
as $$
declare
  v_team constant uuid := claimed_team();
  v_dim_slices int[];
  v_key_slices int[];
begin
  -- Nothing was counted.
  if p_counts.dim_shift is null then
    return;
  end if;

  v_dim_slices := array(select distinct t >> p_counts.dim_shift from unnest(p_dims) t);
  v_key_slices := array(select distinct t >> p_counts.key_shift from unnest(p_keys) t);
  -- A term is looked for in its slice by bisection. offset 0, so that it is done once.
  return query
  select 'd'::"char", f.term, term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales), null::float8
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_dims) a (term) on s.slice = a.term >> p_counts.dim_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'd' and s.slice = any (v_dim_slices)) f
   where f.found = f.term
  union all
  select 'k', f.term,
         term_count(f.count, f.place, f.vectors,
           p_counts.scales, p_counts.layer_places, p_counts.layer_scales),
         term_count(f.count, f.place, f.vectors,
           p_counts.team_scales, p_counts.team_places, p_counts.team_layer_scales)
    from (select a.term, s.terms[w.nth] as found, s.counts[w.nth] as count, s.places[w.nth] as place, s.vectors
            from keyword_slice s join unnest(p_keys) a (term) on s.slice = a.term >> p_counts.key_shift
            cross join lateral (select width_bucket(a.term, s.terms) as nth offset 0) w
           where s.team_id = v_team and s.space = 'k' and s.slice = any (v_key_slices)) f
   where f.found = f.term;
end $$;

revoke execute on function memory.term_frequencies(int[], int[], record) from public, memory_service, memory_worker;
