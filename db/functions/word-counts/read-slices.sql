-- Returns rows of keyword_slice of the scope's Team and the space p_space, in a form that the worker reads: int[] as
-- binary, and vectors as text with a space between them. Returns the slices p_slices, and those in which the layer with
-- the place p_place has counts; all with p_all. In the order of the slices.
create or replace function memory.read_slices(p_space text, p_slices int[], p_place int, p_all boolean)
returns table (slice int, terms bytea, places bytea, counts bytea, vectors text)
language plpgsql stable security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_place constant sparsevec := case when p_place is not null then ('{' || p_place || ':1}/16000')::sparsevec end;
begin
  return query
  select s.slice, array_send(s.terms), array_send(s.places::int[]), array_send(s.counts::int[]),
         array_to_string(s.vectors::text[], ' ')
    from keyword_slice s
   where s.team_id = claimed_team() and s.space = p_space::"char"
     and (p_place is not null or p_all or s.slice = any (p_slices))
     and (p_place is null or p_all or s.slice = any (p_slices)
       or case when s.places is null then p_place = 1 else p_place = any (s.places) end
       or exists (select from unnest(s.vectors) v where v <#> v_place < 0))
   order by s.slice;
end $$;

revoke execute on function memory.read_slices(text, int[], int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.read_slices(text, int[], int, boolean) to memory_worker;
