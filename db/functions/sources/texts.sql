-- Returns the plain text of an active source, within the claims, that was sent as a text: the own texts of its chunks with the
-- gaps between them, and the white space at its end. exact_text of shared/text/text-form.ts makes the text as it was sent of it. Of
-- a source of before, whose gaps are not known, the chunks are joined as the API joins passages. Null if the source was sent as
-- chunks, is not of kind ingest or not active, or if the text has more than p_max bytes.
create or replace function memory.source_text(p_source uuid, p_max int) returns text
language plpgsql stable security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_source record;
begin
  select s.text_form, s.text_bytes into v_source from source s
   where s.team_id = v_team and s.id = p_source and s.kind = 'ingest' and s.state = 'active'
     and not is_due(s.expires_at) and s.layer_id = any (readable_layers());
  if not found or v_source.text_bytes > p_max or v_source.text_form ? 'chunks' then
    return null;
  end if;
  return (
    select string_agg(
             coalesce(c.gap, case when c.ordinal = 0 then '' when c.repeated = 0 then E'\n\n'
                                  when substr(c.text, c.repeated, 1) = E'\n' then E'\n' else ' ' end)
               || case c.repeated when 0 then c.text else substr(c.text, c.repeated + 1) end, '' order by c.ordinal)
      from chunk c where c.team_id = v_team and c.source_id = p_source) || coalesce(v_source.text_form ->> 'tail', '');
end $$;

revoke execute on function memory.source_text(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.source_text(uuid, int) to memory_service;

-- Keeps the text of a source within the claims as a version, before its chunks are replaced, and deletes all but the last p_keep
-- versions. Keeps nothing of a source without a text: see source_text. Lock the source before.
create or replace function memory.keep_source_version(p_source uuid, p_keep int, p_max int) returns void
language plpgsql volatile security definer
set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_text constant text := memory.source_text(p_source, p_max);
begin
  if p_keep > 0 then
    insert into source_version (team_id, source_id, version, layer_id, at, actor_id, text, text_form)
    select s.team_id, s.id, s.text_version, s.layer_id, coalesce(s.text_at, s.created_at), coalesce(s.text_by, s.created_by),
           v_text, s.text_form
      from source s
     where s.team_id = v_team and s.id = p_source and v_text is not null and s.layer_id = any (writable_layers());
  end if;
  delete from source_version v using source s
   where s.team_id = v_team and s.id = p_source and s.layer_id = any (writable_layers())
     and v.team_id = s.team_id and v.source_id = s.id
     and v.version not in (select k.version from source_version k where k.team_id = v_team and k.source_id = p_source
                            order by k.version desc limit p_keep);
end $$;

revoke execute on function memory.keep_source_version(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.keep_source_version(uuid, int, int) to memory_service;
