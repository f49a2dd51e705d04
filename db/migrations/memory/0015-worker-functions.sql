-- Upkeep goes over all Teams and Companies, so a request must not be able to ask for it: only the worker's role can run
-- these functions and write what workers report of themselves. It is a member of the service's role, and so has all that
-- a job needs beside them.
grant usage on schema memory to memory_worker;

do $$
declare
  upkeep constant regprocedure[] := array[
    'memory.backfill_pending(uuid, int)', 'memory.finish_backfill()', 'memory.layers_without_vectors()',
    'memory.next_unsealed(uuid)', 'memory.prune()', 'memory.prune_consolidation_batches()',
    'memory.prune_import_payloads(int, int)', 'memory.prune_loading_chunks(int)', 'memory.prune_old_vectors(int)',
    'memory.prune_workspace_blobs(int)', 'memory.prune_workspace_versions(uuid, int, int)',
    'memory.release_captures(int)', 'memory.seal_audit(uuid, int)'];
  name regprocedure;
begin
  foreach name in array upkeep loop
    execute format('revoke execute on function %s from memory_service', name);
    execute format('grant execute on function %s to memory_worker', name);
  end loop;
end $$;

revoke insert, update, delete on memory.worker, memory.job_tally from memory_service;
grant insert, update, delete on memory.worker to memory_worker;
grant insert, update on memory.job_tally to memory_worker;

-- Within a Team, an event about something of a layer shows only to those who read that layer. In the Company, outside of
-- any Team, its Owners read the events of all.
drop policy reads on memory.audit_event;
create policy reads on memory.audit_event for select to memory_service using (
  company_id = (select memory.claimed_company())
  and ((select memory.claimed_team()) is null
    or (team_id = (select memory.claimed_team())
      and (layer is null or (layer = 'team' and (select memory.reads_team_layer()))
        or client_id = any ((select memory.readable_clients())::uuid[])))));
