-- Examines at most p_limit contents that have waited for an hour. Deletes those that no version and no original refers to,
-- and clears the waiting time of the others. A push or an import that needs a content sets its waiting time to now and
-- inserts its version or original within minutes, so its content is not deleted. Returns how many contents were examined
-- and deleted, and the objects of the deleted ones, as `company/sha256/object`: the caller deletes them from the bucket.
create or replace function memory.prune_workspace_blobs(p_limit int)
returns table (seen int, removed int, objects text[])
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  with old as (
    select b.company_id, b.sha256,
           exists (select from workspace_version v
                    where v.company_id = b.company_id and v.sha256 = b.sha256)
             or exists (select from original o
                         where o.company_id = b.company_id and o.sha256 = b.sha256) as referred
      from workspace_blob b where b.waiting_since < now() - interval '1 hour'
     order by b.waiting_since limit p_limit for update of b skip locked
  ), settled as (
    update workspace_blob b set waiting_since = null from old o
     where o.referred and b.company_id = o.company_id and b.sha256 = o.sha256
  ), gone as (
    delete from workspace_blob b using old o
     where not o.referred and b.company_id = o.company_id and b.sha256 = o.sha256 returning b.company_id, b.sha256, b.object_id
  )
  select (select count(*)::int from old), (select count(*)::int from gone),
         array(select concat_ws('/', g.company_id, encode(g.sha256, 'hex'), g.object_id)
                 from gone g where g.object_id is not null)
    into seen, removed, objects;
  return next;
end $$;

revoke execute on function memory.prune_workspace_blobs(int) from public, memory_service, memory_worker;
grant execute on function memory.prune_workspace_blobs(int) to memory_worker;
