-- Returns those of the given objects that no content has. Objects of Companies that are not in this database are never
-- returned: another service can share the bucket.
create or replace function memory.unused_objects(p_companies uuid[], p_sha256 text[], p_objects uuid[])
returns setof uuid
language sql stable security definer set search_path = memory, pg_temp
as $$
  select g.object_id from unnest(p_companies, p_sha256, p_objects) as g (company_id, sha256, object_id)
    join identity.company c on c.id = g.company_id
   where not exists (select from workspace_blob b
                      where b.company_id = g.company_id and b.sha256 = decode(g.sha256, 'hex')
                        and b.object_id = g.object_id);
$$;

revoke execute on function memory.unused_objects(uuid[], text[], uuid[]) from public, memory_service, memory_worker;
grant execute on function memory.unused_objects(uuid[], text[], uuid[]) to memory_worker;
