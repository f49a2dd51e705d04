-- Returns the invite, to a Team or to the Company, with this token hash (SHA-256), with its state. No row if the Team
-- was deleted.
create or replace function identity.find_invite(p_token_hash bytea)
returns table (id uuid, company_id uuid, team_id uuid, email text, role text, grants jsonb, state text)
language sql stable security definer set search_path = identity, pg_temp
as $$
  select i.id, i.company_id, i.team_id, i.email, i.role, i.grants,
         identity.invite_state(i.used_at, i.revoked_at, i.expires_at)
    from identity.invite i left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
   where i.token_hash = p_token_hash and t.deleted_at is null;
$$;

revoke execute on function identity.find_invite(bytea) from public, memory_service, memory_worker;
grant execute on function identity.find_invite(bytea) to memory_service;
