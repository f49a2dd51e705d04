-- Part of purge_source and purge_memory. Deletes stored answers that contain one of these ids, because answers contain
-- texts of the records. In the results of consolidations, which a completion that is repeated returns, a memory that was
-- purged is discarded, and it is similar to no other: results contain excerpts of similar memories. A batch keeps the ids
-- of its captures, because the repeated completion names them.
create or replace function memory.purge_records(p_ids uuid[]) returns void
language plpgsql volatile
as $$
declare
  v_team constant uuid := claimed_team();
  v_patterns constant text[] := array(select '%' || id || '%' from unnest(p_ids) as id);
begin
  update consolidation_batch b
     set results = (
       select jsonb_agg(case when (r.result ->> 'memoryId')::uuid = any (p_ids)
                             then '{"state": "discarded", "memoryId": null, "similar": []}'
                             else jsonb_set(r.result, '{similar}', (
                               select coalesce(jsonb_agg(n.other order by n.place), '[]')
                                 from jsonb_array_elements(r.result -> 'similar') with ordinality as n (other, place)
                                where (n.other ->> 'memoryId')::uuid <> all (p_ids))) end
                        order by r.place)
         from jsonb_array_elements(b.results) with ordinality as r (result, place))
   where b.team_id = v_team and b.results::text like any (v_patterns);
  -- Last: the update waits for a repeated completion, which can have stored the old results as another answer.
  delete from idempotency_key k where k.team_id = v_team and k.response::text like any (v_patterns);
end $$;

revoke execute on function memory.purge_records(uuid[]) from public, memory_service, memory_worker;
