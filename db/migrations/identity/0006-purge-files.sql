-- As before, with the versions of a Team's files. Their contents, the Company's, are left to the pruning of those that
-- nothing refers to.
create or replace function identity.purge_team(p_limit int) returns boolean
language plpgsql volatile security definer set search_path = identity, memory, public, pg_temp
as $$
declare
  v_team uuid := memory.claimed_team();
  v_table regclass;
  v_gone int;
begin
  perform from team t
    where t.company_id = memory.claimed_company() and t.id = v_team and t.deleted_at is not null;
  if not found then
    return true;
  end if;
  -- Imports first: a job that is waiting then finds nothing to do. Chunks take their numbers with them.
  foreach v_table in array array['memory.import', 'memory.chunk', 'memory.memory_item', 'memory.source',
                                 'memory.capture', 'memory.consolidation_batch', 'memory.keyword_df',
                                 'memory.idempotency_key', 'memory.embedding_batch',
                                 'memory.layer_tally', 'memory.workspace_version', 'memory.workspace_team']::regclass[] loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where team_id = $1 limit $2))',
                   v_table) using v_team, p_limit;
    get diagnostics v_gone = row_count;
    if v_gone > 0 then
      return false;
    end if;
  end loop;
  delete from team t where t.company_id = memory.claimed_company() and t.id = v_team;
  return true;
end $$;
