-- Part of purge_records. Returns a stored answer without what it shows of these records, which are purged: near duplicates,
-- the first source with the text of a file, and results of consolidations. Returns the JSON null if the answer still names
-- one of them, because then it is about that record: the request cannot be repeated, and must not have its effect again.
create or replace function memory.without_records(p_answer jsonb, p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = memory, pg_temp
as $$
declare
  v_answer jsonb := p_answer;
begin
  if v_answer ? 'similarSources' then
    v_answer := jsonb_set(v_answer, '{similarSources}', (
      select coalesce(jsonb_agg(n.other order by n.place), '[]')
        from jsonb_array_elements(v_answer -> 'similarSources') with ordinality as n (other, place)
       where (n.other ->> 'sourceId')::uuid <> all (p_ids)));
  end if;
  if (v_answer #>> '{source,sameAs}')::uuid = any (p_ids) then
    v_answer := jsonb_set(v_answer, '{source,sameAs}', 'null');
  end if;
  if v_answer ? 'results' then
    v_answer := jsonb_set(v_answer, '{results}', results_without(v_answer -> 'results', p_ids));
  end if;
  return case when v_answer::text like any (array(select '%' || id || '%' from unnest(p_ids) as id)) then 'null'
              else v_answer end;
end $$;

revoke execute on function memory.without_records(jsonb, uuid[]) from public, memory_service, memory_worker;
