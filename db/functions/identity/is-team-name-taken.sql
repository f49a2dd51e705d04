-- Whether another Team of the Company than p_team has this folded name. In the scope of a Team the policies hide all others.
create or replace function identity.is_team_name_taken(p_team uuid, p_folded text) returns boolean
language plpgsql stable security definer set search_path = identity, pg_temp
as $$
begin
  return exists (select from team t
                  where t.company_id = memory.claimed_company() and t.folded_name = p_folded and t.id <> p_team
                    and t.deleted_at is null);
end $$;

revoke execute on function identity.is_team_name_taken(uuid, text) from public, memory_service, memory_worker;
grant execute on function identity.is_team_name_taken(uuid, text) to memory_service;
