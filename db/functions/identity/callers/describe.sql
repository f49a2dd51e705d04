-- Returns an account as a caller, in JSON: the account and its Company, the Teams that it has access to, the selected
-- Team and that Team's active clients with the account's grants. The selected Team is p_team if the account has access
-- to it, or the only Team if p_team is null. Returns null if the account was closed or does not exist. For
-- resolve_session and resolve_principal.
create or replace function identity.describe(p_user uuid, p_team uuid) returns jsonb
language plpgsql stable set search_path = identity, pg_temp
as $$
declare
  who account;
  teams jsonb;
  selected uuid;
begin
  select a.* into who from account a where a.id = p_user and a.closed_at is null;
  if not found then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'state', t.state, 'role', m.role,
           'grant', case when who.role = 'admin' then g.access end, 'publish', t.publish, 'redaction', t.redaction,
           'quota', case when t.quota_set then jsonb_build_object('chunks', t.quota_chunks, 'bytes', t.quota_bytes) end)
           order by t.id), '[]')
    into teams
    from team t
    left join team_member m on m.team_id = t.id and m.user_id = who.id
    left join company_grant g on g.company_id = t.company_id and g.team_id = t.id and g.user_id = who.id
   where t.company_id = who.company_id and t.deleted_at is null
     and (who.role = 'owner' or m.role is not null or (who.role = 'admin' and g.access is not null));
  -- An id of a Team without access selects nothing.
  if p_team is not null then
    selected := (select (t ->> 'id')::uuid from jsonb_array_elements(teams) t where (t ->> 'id')::uuid = p_team);
  elsif jsonb_array_length(teams) = 1 then
    selected := (teams -> 0 ->> 'id')::uuid;
  end if;
  return jsonb_build_object(
    'userId', who.id, 'email', who.email, 'name', who.name, 'companyRole', who.role,
    'companyId', who.company_id, 'companyName', (select c.name from company c where c.id = who.company_id),
    'teams', teams, 'selectedTeamId', selected,
    -- A position that the log has not reached is of another server, from which the database was restored. No replica would
    -- have it.
    'lastChange', greatest(
      (select c.position from caller_change c
        where c.company_id = who.company_id and c.user_id = who.id and c.position <= pg_current_wal_insert_lsn()),
      (select w.position from team_withdrawal w
        where w.company_id = who.company_id and w.team_id = selected and w.position <= pg_current_wal_insert_lsn())),
    'clients', coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'grant', g.access) order by c.id)
        from client c
        left join client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = who.id
       where c.team_id = selected and c.state = 'active'), '[]'));
end $$;

revoke execute on function identity.describe(uuid, uuid) from public, memory_service, memory_worker;
