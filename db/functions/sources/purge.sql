-- Deletes a memory with its versions, its source, the captures that no other memory was made of, and every stored answer
-- that contains them. Captures can belong to layers that the claims cannot reach. Memories that superseded it, or that it
-- superseded, no longer name it. Returns what was deleted; nothing if the claims cannot write the layer of the memory.
create or replace function memory.purge_memory(p_memory uuid)
returns table (version int, source_id uuid, captures uuid[])
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
begin
  -- Batches before memories, as a completion locks them, and both in the order of their ids, to prevent a deadlock.
  perform from consolidation_batch b
    where b.team_id = v_team and b.results::text like '%' || p_memory || '%'
    order by b.id for update;
  -- All memories that change.
  perform from memory_item m
    where m.team_id = v_team and (m.id = p_memory or m.supersedes = p_memory or m.superseded_by = p_memory)
    order by m.id for update;
  delete from memory_item m
   where m.team_id = v_team and m.id = p_memory
     and m.layer_id = any (writable_layers())
  returning m.version, m.source_id, m.capture_ids into version, source_id, captures;
  if not found then
    return;
  end if;
  update memory_item m
     set supersedes = nullif(m.supersedes, p_memory), superseded_by = nullif(m.superseded_by, p_memory)
   where m.team_id = v_team and (m.supersedes = p_memory or m.superseded_by = p_memory);
  with gone as (
    delete from capture c
     where c.team_id = v_team and c.id = any (captures)
       and c.id <> all (array(select unnest(m.capture_ids) from memory_item m
                               where m.team_id = v_team and m.capture_ids && captures))
    returning c.id
  )
  select coalesce(array_agg(gone.id order by gone.id), '{}') into captures from gone;
  if source_id is not null then
    perform purge_source(source_id);
  end if;
  perform purge_records(captures || p_memory);
  return next;
end $$;

revoke execute on function memory.purge_memory(uuid) from public, memory_service, memory_worker;
grant execute on function memory.purge_memory(uuid) to memory_service;

-- Part of purge_source and purge_memory. Removes these records from the results of consolidations, which a completion that
-- is repeated returns, and from stored answers, because both contain texts of records. An answer about one of them is
-- emptied, and not deleted: otherwise the repeat of its request would store the text again. A batch keeps the ids of its
-- captures, because the repeated completion names them.
create or replace function memory.purge_records(p_ids uuid[]) returns void
language plpgsql volatile
as $$
declare
  v_team constant uuid := claimed_team();
  v_patterns constant text[] := array(select '%' || id || '%' from unnest(p_ids) as id);
begin
  update consolidation_batch b set results = results_without(b.results, p_ids)
   where b.team_id = v_team and b.results::text like any (v_patterns);
  -- Last: the update waits for a repeated completion, which can have stored the old results as another answer.
  update idempotency_key k set response = without_records(k.response, p_ids)
   where k.team_id = v_team and k.response::text like any (v_patterns);
end $$;

revoke execute on function memory.purge_records(uuid[]) from public, memory_service, memory_worker;

-- Deletes a source with its chunks, its sketch, the imports that it was made of, their files, and every stored answer that
-- contains it. Other sources with its text stay. The source of a workspace file, or of a memory that exists, is not
-- deleted. Returns the ids of the imports; null if the claims cannot write the layer of the source.
create or replace function memory.purge_source(p_source uuid) returns uuid[]
language plpgsql volatile security definer
set search_path = memory, pg_temp
as $$
declare
  v_team constant uuid := claimed_team();
  v_imports uuid[];
begin
  perform from source s
    where s.team_id = v_team and s.id = p_source and s.kind <> 'file' and s.state <> 'loading'
      and s.layer_id = any (writable_layers())
      and not exists (select from memory_item m where m.team_id = v_team and m.source_id = p_source)
    for update;
  if not found then
    return null;
  end if;
  -- All imports that change, in the order of their ids, to prevent a deadlock with the purge of another source.
  perform from import i
    where i.team_id = v_team
      and (i.source_id = p_source
           or i.near_duplicates <> '[]'
              and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source)))
    order by i.id for update;
  with gone as (
    delete from import i where i.team_id = v_team and i.source_id = p_source returning i.id
  )
  select coalesce(array_agg(id), '{}') into v_imports from gone;
  update import i
     set near_duplicates = (select coalesce(jsonb_agg(n), '[]') from jsonb_array_elements(i.near_duplicates) as n
                             where n ->> 'sourceId' <> p_source::text)
   where i.team_id = v_team and i.near_duplicates <> '[]'
     and i.near_duplicates @> jsonb_build_array(jsonb_build_object('sourceId', p_source));
  delete from source where team_id = v_team and id = p_source;
  perform choose_first_copies(array[p_source]);
  perform purge_records(v_imports || p_source);
  return v_imports;
end $$;

revoke execute on function memory.purge_source(uuid) from public, memory_service, memory_worker;
grant execute on function memory.purge_source(uuid) to memory_service;

-- Part of purge_records. Returns the results of a consolidation without these records, which are purged: a memory that was
-- purged is discarded, and it is similar to no other, because results contain excerpts of similar memories.
create or replace function memory.results_without(p_results jsonb, p_ids uuid[]) returns jsonb
language sql stable
set search_path = memory, pg_temp
as $$
  select coalesce(jsonb_agg(case when (r.result ->> 'memoryId')::uuid = any (p_ids)
                                 then '{"state": "discarded", "memoryId": null, "similar": []}'
                                 else jsonb_set(r.result, '{similar}', (
                                   select coalesce(jsonb_agg(n.other order by n.place), '[]')
                                     from jsonb_array_elements(r.result -> 'similar') with ordinality as n (other, place)
                                    where (n.other ->> 'memoryId')::uuid <> all (p_ids))) end
                            order by r.place), '[]')
    from jsonb_array_elements(p_results) with ordinality as r (result, place);
$$;

revoke execute on function memory.results_without(jsonb, uuid[]) from public, memory_service, memory_worker;

-- Part of purge_records. Returns a stored answer without what it shows of these records, which are purged: near duplicates,
-- the first source with the text of a file, and results of consolidations. Returns the JSON null if the answer still names
-- one of them, because then it is about that record: the request cannot be repeated, and must not have its effect again.
create or replace function memory.without_records(p_answer jsonb, p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = memory, pg_temp
as $$
declare
  v_answer jsonb := p_answer;
begin
  if v_answer ? 'similarSources' then
    v_answer := jsonb_set(v_answer, '{similarSources}', (
      select coalesce(jsonb_agg(n.other order by n.place), '[]')
        from jsonb_array_elements(v_answer -> 'similarSources') with ordinality as n (other, place)
       where (n.other ->> 'sourceId')::uuid <> all (p_ids)));
  end if;
  if (v_answer #>> '{source,sameAs}')::uuid = any (p_ids) then
    v_answer := jsonb_set(v_answer, '{source,sameAs}', 'null');
  end if;
  if v_answer ? 'results' then
    v_answer := jsonb_set(v_answer, '{results}', results_without(v_answer -> 'results', p_ids));
  end if;
  return case when v_answer::text like any (array(select '%' || id || '%' from unnest(p_ids) as id)) then 'null'
              else v_answer end;
end $$;

revoke execute on function memory.without_records(jsonb, uuid[]) from public, memory_service, memory_worker;
