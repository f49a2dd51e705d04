-- Replaces slices of the scope's Team in keyword_slice: of each the number of its terms, which is 0 to delete it, and
-- its vectors as text with a space between them. p_terms, p_places and p_counts have the elements of all slices, one
-- after the other. Call lock_layer_counts first, in the same transaction.
create or replace function memory.write_slices(
  p_space text, p_slices int[], p_sizes int[], p_vectors text[], p_terms int[], p_places int[], p_counts int[]
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
begin
  delete from keyword_slice s
   where s.team_id = v_team and s.space = p_space::"char"
     and s.slice = any (array(select w.slice from unnest(p_slices, p_sizes) w (slice, size) where w.size = 0));
  insert into keyword_slice (team_id, space, slice, terms, places, counts, vectors)
    select v_team, p_space::"char", w.slice, p_terms[w.first:w.last],
           case when 1 <> any (p_places[w.first:w.last]) then p_places[w.first:w.last]::int2[] end,
           p_counts[w.first:w.last]::int2[],
           case when w.vectors <> '' then string_to_array(w.vectors, ' ')::sparsevec(16000)[] end
      from (select u.slice, u.vectors, u.size, sum(u.size) over w as last, sum(u.size) over w - u.size + 1 as first
              from unnest(p_slices, p_sizes, p_vectors) with ordinality u (slice, size, vectors, nth)
            window w as (order by u.nth)) w
     where w.size > 0
    on conflict (team_id, space, slice) do update
       set terms = excluded.terms, places = excluded.places, counts = excluded.counts, vectors = excluded.vectors;
end $$;

revoke execute on function memory.write_slices(text, int[], int[], text[], int[], int[], int[]) from public, memory_service, memory_worker;
grant execute on function memory.write_slices(text, int[], int[], text[], int[], int[], int[]) to memory_worker;
