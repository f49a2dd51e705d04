-- Part of weigh_query. Returns how often a term occurs in some layers: p_count and p_place are the term's elements in a
-- row of keyword_slice, and p_vectors is the row's. The layers are given by their scales: see readable_counts. Declared
-- stable so that it is inlined.
create or replace function memory.term_count(
  p_count int2, p_place int2, p_vectors sparsevec[], p_scales sparsevec, p_places int[], p_place_scales real[]
) returns float8
language sql stable
return case
  -- In several layers.
  when p_place = 0 then -(p_vectors[p_count] <#> p_scales)
  -- In the layer with this place, or the place 1. The layer is searched in the ascending places.
  when p_places[width_bucket(coalesce(p_place, 1), p_places)] = coalesce(p_place, 1)
    then p_count * p_place_scales[width_bucket(coalesce(p_place, 1), p_places)]::float8
  else 0
end;

revoke execute on function memory.term_count(int2, int2, sparsevec[], sparsevec, int[], real[]) from public, memory_service, memory_worker;
