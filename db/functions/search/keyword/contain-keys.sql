-- Part of keyword_candidates. Returns, for each chunk, whether it contains one of the keys.
create or replace function memory.contain_keys(p_chunks uuid[], p_keys int[]) returns boolean[]
language plpgsql stable
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Without keys, nothing is read.
  if cardinality(p_keys) = 0 then
    return array_fill(false, array[cardinality(p_chunks)]);
  end if;
  return (
    select coalesce(array_agg(coalesce(c.keys && p_keys, false) order by h.rank), '{}')
      from unnest(p_chunks) with ordinality h (id, rank)
      left join chunk_keyword c on c.team_id = v_team and c.chunk_id = h.id);
end $$;

revoke execute on function memory.contain_keys(uuid[], int[]) from public, memory_service, memory_worker;
