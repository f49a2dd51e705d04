-- Returns the owner of an agent token as a caller, as describe does, limited to the token's Team and clients, with the
-- token. Returns {"expired": true} for a token past its end. With the reason "revoked": the token was revoked, or its owner
-- has lost access to the Team; with "replaced": the secret was replaced by a rotation. Returns null if no token has the
-- secret, so that only who knows it learns what became of the token.
create or replace function identity.resolve_agent_token(
  p_lookup_id text,
  p_secret_hash bytea,        -- SHA-256
  p_team uuid,                -- the Team that the request names; null: none
  p_address text              -- the address of the caller, stored with the time of use
) returns jsonb
language plpgsql volatile security definer set search_path = identity, pg_temp
as $$
declare
  -- Equal hashes of both hashes with a random value: the time of the comparison tells nothing about the stored hash.
  v_random constant bytea := uuid_send(gen_random_uuid());
  revoked constant jsonb := '{"expired": true, "reason": "revoked"}';
  found_secret agent_token_secret;
  token agent_token;
  caller jsonb;
  teams jsonb;
  selected uuid;
begin
  select s.* into found_secret from agent_token_secret s where s.lookup_id = p_lookup_id;
  if not found or sha256(v_random || found_secret.secret_hash) <> sha256(v_random || p_secret_hash) then
    return null;
  end if;
  select t.* into token from agent_token t where t.team_id = found_secret.team_id and t.id = found_secret.token_id;
  if token.revoked_at is not null then
    return revoked;
  end if;
  if found_secret.ends_at <= now() then
    return jsonb_build_object('expired', true, 'reason', 'replaced');
  end if;
  if token.expires_at <= now() then
    return jsonb_build_object('expired', true);
  end if;
  caller := identity.describe(token.user_id, token.team_id);
  -- describe selects a Team only if the account has access to it.
  if caller ->> 'selectedTeamId' is null then
    return revoked;
  end if;
  teams := (select jsonb_agg(t) from jsonb_array_elements(caller -> 'teams') t where (t ->> 'id')::uuid = token.team_id);
  selected := case when p_team is null or p_team = token.team_id then token.team_id end;
  -- Notes the use at most once a minute, as resolve_session does.
  if current_setting('transaction_read_only') = 'off'
    and (token.last_used_at is null or token.last_used_at < now() - interval '1 minute')
  then
    update agent_token t set last_used_at = now(), last_used_from = p_address
     where t.team_id = token.team_id and t.id in (
       select l.id from agent_token l where l.team_id = token.team_id and l.id = token.id for update skip locked);
  end if;
  return caller || jsonb_build_object(
    'session', null, 'teams', teams, 'selectedTeamId', selected,
    'clients', case when selected is null then '[]'::jsonb when token.client_ids is null then caller -> 'clients' else (
      select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(caller -> 'clients') c
       where (c ->> 'id')::uuid = any (token.client_ids)) end,
    'token', jsonb_build_object('id', token.id, 'name', token.name, 'permissions', to_jsonb(token.permissions),
      'clientIds', to_jsonb(token.client_ids), 'expiresAt', token.expires_at));
end $$;

revoke execute on function identity.resolve_agent_token(text, bytea, uuid, text) from public, memory_service, memory_worker;
