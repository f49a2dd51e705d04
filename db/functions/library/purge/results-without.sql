-- Part of purge_records. Returns the results of a consolidation without these records, which are purged: a memory that was
-- purged is discarded, and it is similar to no other, because results contain excerpts of similar memories.
create or replace function memory.results_without(p_results jsonb, p_ids uuid[]) returns jsonb
language sql stable
set search_path = memory, pg_temp
as $$
  select coalesce(jsonb_agg(case when (r.result ->> 'memoryId')::uuid = any (p_ids)
                                 then '{"state": "discarded", "memoryId": null, "similar": []}'
                                 else jsonb_set(r.result, '{similar}', (
                                   select coalesce(jsonb_agg(n.other order by n.place), '[]')
                                     from jsonb_array_elements(r.result -> 'similar') with ordinality as n (other, place)
                                    where (n.other ->> 'memoryId')::uuid <> all (p_ids))) end
                            order by r.place), '[]')
    from jsonb_array_elements(p_results) with ordinality as r (result, place);
$$;

revoke execute on function memory.results_without(jsonb, uuid[]) from public, memory_service, memory_worker;
