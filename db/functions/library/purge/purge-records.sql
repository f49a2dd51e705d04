-- Part of purge_source and purge_memory. Removes these records from the results of consolidations, which a completion that
-- is repeated returns, and from stored answers, because both contain texts of records. An answer about one of them is
-- emptied, and not deleted: otherwise the repeat of its request would store the text again. A batch keeps the ids of its
-- captures, because the repeated completion names them.
create or replace function memory.purge_records(p_ids uuid[]) returns void
language plpgsql volatile
as $$
declare
  v_team constant uuid := claimed_team();
  v_patterns constant text[] := array(select '%' || id || '%' from unnest(p_ids) as id);
begin
  update consolidation_batch b set results = results_without(b.results, p_ids)
   where b.team_id = v_team and b.results::text like any (v_patterns);
  -- Last: the update waits for a repeated completion, which can have stored the old results as another answer.
  update idempotency_key k set response = without_records(k.response, p_ids)
   where k.team_id = v_team and k.response::text like any (v_patterns);
end $$;

revoke execute on function memory.purge_records(uuid[]) from public, memory_service, memory_worker;
