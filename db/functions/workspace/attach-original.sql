-- Makes a content the original of an active source of kind import that has none. The content must be stored. Returns false
-- if there is no such source, or if the claims cannot write its layer.
create or replace function memory.attach_original(p_source uuid, p_sha256 bytea, p_bytes int, p_media_type text)
returns boolean
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- The source before its original, as in release_original, to prevent a deadlock.
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind = 'import' and s.state = 'active' and s.original_sha256 is null
      and s.layer_id = any (writable_layers())
    for no key update;
  if not found then
    return false;
  end if;
  -- The update changes nothing. It locks the row, so that release_original waits and then finds the new source.
  insert into original as o (team_id, sha256, company_id, bytes) values (v_team, p_sha256, claimed_company(), p_bytes)
    on conflict (team_id, sha256) do update set bytes = o.bytes;
  update source s set original_sha256 = p_sha256, original_bytes = p_bytes, original_media_type = p_media_type
   where s.team_id = v_team and s.id = p_source;
  return true;
end $$;

revoke execute on function memory.attach_original(uuid, bytea, int, text) from public, memory_service, memory_worker;
grant execute on function memory.attach_original(uuid, bytea, int, text) to memory_service;
