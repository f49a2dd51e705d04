-- Ends making the terms of a source of the scope's Team: they have p_version now, if the source still has the title,
-- the day and the labels that they were made with. Adds its p_chunks chunks to those that were made since its layer was counted.
create or replace function memory.end_source_terms(
  p_source uuid, p_title text, p_day date, p_labels text[], p_chunks int, p_version int
) returns void
language plpgsql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
declare
  v_team constant uuid := claimed_team();
  v_layer uuid;
begin
  if lock_source_terms(p_source, p_title, p_day, p_labels, p_version) then
    update source s set terms_version = p_version where s.team_id = v_team and s.id = p_source
    returning s.layer_id into v_layer;
    update keyword_layer l set renewed = l.renewed + p_chunks
     where l.team_id = v_team and l.layer_id = v_layer;
  end if;
end $$;

revoke execute on function memory.end_source_terms(uuid, text, date, text[], int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_source_terms(uuid, text, date, text[], int, int) to memory_worker;

-- Ends making the terms of a source of the scope's Team, as end_source_terms does, if the claims can write to its layer.
create or replace function memory.end_writable_terms(
  p_source uuid, p_title text, p_day date, p_labels text[], p_chunks int, p_version int
) returns void
language sql security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select end_source_terms(s.id, p_title, p_day, p_labels, p_chunks, p_version) from source s
   where s.team_id = claimed_team() and s.id = p_source
     and s.layer_id = any (writable_layers())
$$;

revoke execute on function memory.end_writable_terms(uuid, text, date, text[], int, int) from public, memory_service, memory_worker;
grant execute on function memory.end_writable_terms(uuid, text, date, text[], int, int) to memory_service;

-- Returns whether the terms of a source of the scope's Team are still to be made with these fields: it has this title,
-- this day and these labels, in any order, and its terms are older than p_version. If so, the source cannot change until the transaction ends. Otherwise
-- another worker can have made its terms already, with newer fields.
create or replace function memory.lock_source_terms(p_source uuid, p_title text, p_day date, p_labels text[], p_version int)
returns boolean
language plpgsql security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
begin
  perform from source s
   where s.team_id = claimed_team() and s.id = p_source and s.state = 'active' and s.terms_version < p_version
     and s.title = p_title and (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date = p_day
     and source_labels(s.tags, s.kind, s.metadata) @> p_labels and source_labels(s.tags, s.kind, s.metadata) <@ p_labels
     for share;
  return found;
end $$;

revoke execute on function memory.lock_source_terms(uuid, text, date, text[], int) from public, memory_service, memory_worker;
grant execute on function memory.lock_source_terms(uuid, text, date, text[], int) to memory_worker;

-- Returns a source of the scope's Team whose terms are older than p_version, with the fields that its terms are to be made
-- with; no row without such a source.
create or replace function memory.outdated_source(p_version int) returns table (
  source_id uuid, title text, day text, labels text[]
)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select s.id, s.title, (coalesce(s.occurred_at, s.created_at) at time zone 'UTC')::date::text,
         source_labels(s.tags, s.kind, s.metadata)
    from source s
   where s.team_id = claimed_team() and s.state = 'active' and s.terms_version < p_version limit 1
$$;

revoke execute on function memory.outdated_source(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_source(int) to memory_worker;

-- Returns the Teams that have a source whose terms are older than p_version. The index is read once for each Team, from
-- one Team to the next, and not once for each source.
create or replace function memory.outdated_teams(p_version int) returns table (company_id uuid, team_id uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
declare
  v_team uuid;
begin
  for v_version in 0 .. p_version - 1 loop
    v_team := '00000000-0000-0000-0000-000000000000';
    loop
      select s.team_id into v_team from source s
       where s.state = 'active' and s.terms_version = v_version and s.team_id > v_team order by s.team_id limit 1;
      exit when not found;
      return query select t.company_id, t.id from identity.team t where t.id = v_team and t.deleted_at is null;
    end loop;
  end loop;
end $$;

revoke execute on function memory.outdated_teams(int) from public, memory_service, memory_worker;
grant execute on function memory.outdated_teams(int) to memory_worker;

-- Replaces the stored terms of a chunk of the scope's Team, and stores the hash of its text if it has none. A chunk that
-- was deleted is skipped. Terms that stay the same are not written: the terms of a large source that a stopped run has
-- made already are then passed in a fraction of the time, so that the next run gets further.
create or replace function memory.replace_terms(p_chunk uuid, p_keys int[], p_weights sparsevec, p_text_hash bytea)
returns void
language sql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
set gin_pending_list_limit = '512kB'
as $$
  update chunk_keyword set keys = p_keys, weights = p_weights
   where team_id = claimed_team() and chunk_id = p_chunk and (keys <> p_keys or weights <> p_weights);
  update chunk set text_hash = p_text_hash where team_id = claimed_team() and id = p_chunk and text_hash is null;
$$;

revoke execute on function memory.replace_terms(uuid, int[], sparsevec, bytea) from public, memory_service, memory_worker;
grant execute on function memory.replace_terms(uuid, int[], sparsevec, bytea) to memory_worker;

-- Replaces the stored terms of a chunk of the scope's Team, as replace_terms does, if the claims can write to its layer.
create or replace function memory.replace_writable_terms(
  p_chunk uuid, p_keys int[], p_weights sparsevec, p_text_hash bytea
) returns void
language sql security definer set search_path = memory, public, pg_temp
set enable_seqscan = off
as $$
  select replace_terms(c.id, p_keys, p_weights, p_text_hash) from chunk c
   where c.team_id = claimed_team() and c.id = p_chunk
     and c.layer_id = any (writable_layers())
$$;

revoke execute on function memory.replace_writable_terms(uuid, int[], sparsevec, bytea) from public, memory_service, memory_worker;
grant execute on function memory.replace_writable_terms(uuid, int[], sparsevec, bytea) to memory_service;

-- Returns the texts of the chunks of an active source of the scope's Team, in order: those after the ordinal p_after, at
-- most p_limit.
create or replace function memory.source_texts(p_source uuid, p_after int, p_limit int)
returns table (chunk_id uuid, ordinal int, headings jsonb, text text, repeated int)
language sql stable security definer set search_path = memory, pg_temp
set enable_seqscan = off
as $$
  select c.id, c.ordinal, coalesce(c.place -> 'headings', '[]'), c.text, c.repeated
    from chunk c
   where c.team_id = claimed_team() and c.source_id = p_source and c.ordinal > p_after
     and exists (select from source s where s.team_id = claimed_team() and s.id = p_source and s.state = 'active')
   order by c.ordinal limit p_limit
$$;

revoke execute on function memory.source_texts(uuid, int, int) from public, memory_service, memory_worker;
grant execute on function memory.source_texts(uuid, int, int) to memory_worker;
