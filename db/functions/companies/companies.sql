-- Returns how many Companies the deployment has, counted up to p_limit. For a login, before the caller is known.
create or replace function identity.count_companies(p_limit int) returns int
language sql stable security definer set search_path = identity, pg_temp
as $$
  select count(*)::int from (select from identity.company c where c.ended_at is null limit p_limit) few;
$$;

revoke execute on function identity.count_companies(int) from public, memory_service, memory_worker;
grant execute on function identity.count_companies(int) to memory_service;

-- Returns all Companies with the number of their open accounts and Teams, for the server principal. Without rows for the claims of
-- anybody else.
create or replace function identity.list_companies()
returns table (id uuid, name text, created_at timestamptz, members int, teams int)
language sql stable security definer set search_path = identity, memory, pg_temp
as $$
  select c.id, c.name, c.created_at,
         (select count(*)::int from account a where a.company_id = c.id and a.closed_at is null),
         (select count(*)::int from team t where t.company_id = c.id and t.deleted_at is null)
    from company c
   where c.ended_at is null
     and exists (select from account p
                  where p.company_id = memory.claimed_company() and p.id = memory.claimed_user()
                    and p.is_principal and p.closed_at is null);
$$;

revoke execute on function identity.list_companies() from public, memory_service, memory_worker;
grant execute on function identity.list_companies() to memory_service;

-- Returns whether a Team of the Company of the claims has a record: a source, an import, a capture, a memory or a file.
create or replace function memory.company_has_records() returns boolean
language sql stable security definer set search_path = memory, pg_temp
as $$
  select exists (
    select from identity.team t
     where t.company_id = memory.claimed_company() and t.deleted_at is null
       and (exists (select from source s where s.team_id = t.id)
            or exists (select from import i where i.team_id = t.id)
            or exists (select from capture c where c.team_id = t.id)
            or exists (select from memory_item m where m.team_id = t.id)
            or exists (select from workspace_version v where v.team_id = t.id)));
$$;

revoke execute on function memory.company_has_records() from public, memory_service, memory_worker;
grant execute on function memory.company_has_records() to memory_service;
