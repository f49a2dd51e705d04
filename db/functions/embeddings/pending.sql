-- Examines the next p_limit chunks after p_after, in the order of ids: marks a chunk without a vector of the adopted
-- model as pending, and deletes the mark of a chunk that has one. Returns the last id examined. Returns null when there
-- are no more chunks, or when a sweep ended at least one hour after the model was adopted: during that hour, a process
-- that still runs with the earlier model can store chunks.
create or replace function memory.backfill_pending(p_after uuid, p_limit int) returns uuid
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_model text;
  v_chunks uuid[];
begin
  select d.embedding_model into v_model from deployment d
   where d.swept_at is null or d.swept_at < d.adopted_at + interval '1 hour';
  if not found then
    return null;
  end if;
  v_chunks := array(select c.id from chunk c where p_after is null or c.id > p_after order by c.id limit p_limit);
  -- Locks the chunks in the order of move_chunks, so that each mark is in the layer of its chunk.
  insert into embedding_pending (team_id, layer_id, chunk_id)
    select l.team_id, l.layer_id, l.id
      from (select c.team_id, c.layer_id, c.id from chunk c
             where c.id = any (v_chunks)
               and not exists (select from chunk_embedding e
                                where e.team_id = c.team_id and e.chunk_id = c.id and e.model = v_model)
             order by c.id for key share of c) l
    on conflict do nothing;
  delete from embedding_pending p using chunk_embedding e
   where p.chunk_id = any (v_chunks) and e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_model;
  return v_chunks[array_upper(v_chunks, 1)];
end $$;

revoke execute on function memory.backfill_pending(uuid, int) from public, memory_service, memory_worker;
grant execute on function memory.backfill_pending(uuid, int) to memory_worker;

-- Notes that the sweep of backfill_pending has reached the last chunk.
create or replace function memory.finish_backfill() returns void
language sql volatile security definer set search_path = memory, pg_temp
as $$
  update memory.deployment set swept_at = now()
   where swept_at is null or swept_at < adopted_at + interval '1 hour';
$$;

revoke execute on function memory.finish_backfill() from public, memory_service, memory_worker;
grant execute on function memory.finish_backfill() to memory_worker;

-- Leases pending chunks of the layers that the claims can write: at most p_limit, the newest first, for p_seconds.
-- Chunks that another transaction has locked are skipped. The lease of a chunk that is already in this batch is
-- renewed. A chunk for which the model gave no vector is leased again after a day, or at once with p_refused_too. Sorts
-- and scans of the table are off, so that the marks are read from the end of their index with any statistics (the
-- embedded database has none). A sort of 100,000 marks took 2 s for each call.
create or replace function memory.lease_pending(p_batch uuid, p_limit int, p_seconds int, p_refused_too boolean)
returns table (chunk_id uuid, leased_until timestamptz)
language plpgsql volatile security definer rows 16
set search_path = memory, pg_temp
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_layers constant uuid[] := memory.writable_layers();
  v_condition text := 'p.layer_id = any ($2)';
  v_order text := 'p.team_id desc, p.chunk_id desc';
begin
  -- One layer only: its own condition and order fit the index that starts with the layer.
  if cardinality(v_layers) = 1 then
    v_condition := 'p.layer_id = $2[1]';
    v_order := 'p.team_id desc, p.layer_id desc, p.chunk_id desc';
  end if;
  return query execute format(
    'with free as (
       select p.team_id, p.chunk_id from embedding_pending p
        where p.team_id = $1 and %s
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $3)
          and ($6 or p.refused_at is null or p.refused_at < now() - interval ''1 day'')
          -- Excludes chunks of a source that is loading or due. A join could change the order in which rows are read.
          and ''active'' = (select state_now(s.state, s.expires_at) from source s where s.team_id = p.team_id and s.id = (
            select c.source_id from chunk c where c.team_id = p.team_id and c.id = p.chunk_id))
        order by %s limit $4 for update of p skip locked
     )
     update embedding_pending p set batch_id = $3, leased_until = now() + make_interval(secs => $5)
       from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
     returning p.chunk_id, p.leased_until', v_condition, v_order)
    using memory.claimed_team(), v_layers, p_batch, p_limit, p_seconds, p_refused_too;
end $$;

revoke execute on function memory.lease_pending(uuid, int, int, boolean) from public, memory_service, memory_worker;
grant execute on function memory.lease_pending(uuid, int, int, boolean) to memory_service;

-- Returns the layers, in all Teams, that have a chunk for which a vector can be made now: a pending chunk that is not
-- leased, and for which the model did not fail in the last day. The index is read once for each layer, from one layer to
-- the next, and not once for each pending chunk.
create or replace function memory.layers_without_vectors()
returns table (company_id uuid, team_id uuid, layer_id uuid)
language plpgsql stable security definer
set search_path = memory, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_team uuid := '00000000-0000-0000-0000-000000000000';
  v_company uuid;
  v_layer uuid;
begin
  loop
    -- The next Team that has pending chunks.
    select p.team_id into v_team from embedding_pending p where p.team_id > v_team order by p.team_id limit 1;
    exit when not found;
    select t.company_id into v_company from identity.team t where t.id = v_team and t.deleted_at is null;
    continue when not found;
    v_layer := '00000000-0000-0000-0000-000000000000';
    loop
      -- The next layer of the Team.
      select p.layer_id into v_layer from embedding_pending p
       where p.team_id = v_team and p.layer_id > v_layer order by p.layer_id limit 1;
      exit when not found;
      if exists (select from embedding_pending p
                  where p.team_id = v_team and p.layer_id = v_layer
                    and (p.leased_until is null or p.leased_until <= now())
                    and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
        return query select v_company, v_team, v_layer;
      end if;
    end loop;
  end loop;
end $$;

revoke execute on function memory.layers_without_vectors() from public, memory_service, memory_worker;
grant execute on function memory.layers_without_vectors() to memory_worker;

-- Returns whether searches compare vectors of this model. During an upgrade a process with the earlier model can still
-- run. It must not lease chunks and store vectors of that model.
create or replace function memory.is_adopted_model(p_model text) returns boolean
language sql stable security definer set search_path = memory, pg_temp
as $$
  select exists (select from memory.deployment where embedding_model = p_model);
$$;

revoke execute on function memory.is_adopted_model(text) from public, memory_service, memory_worker;
grant execute on function memory.is_adopted_model(text) to memory_service;

-- Deletes at most p_limit vectors of earlier models, in Teams where each chunk with an old vector also has a new one,
-- or has been refused by the model. Returns how many. Until then a process with the earlier model can still compare
-- them.
create or replace function memory.prune_old_vectors(p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_model text;
  v_adopted timestamptz;
  v_team uuid;
  v_old text;
  v_removed int := 0;
  v_left boolean := false;
  v_gone int;
begin
  -- If swept_at is set, every chunk without a vector of the new model is marked as pending.
  select d.embedding_model, d.adopted_at into v_model, v_adopted from deployment d
   where d.swept_at is not null and (d.vectors_pruned_at is null or d.vectors_pruned_at < d.adopted_at);
  if not found then
    return 0;
  end if;
  for v_team, v_old in
    select t.id, o.model from identity.team t
     -- Two ranges of the index. With <> the query would read all vectors of the Team.
     cross join lateral (
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model < v_model limit 1)
       union all
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model > v_model limit 1)
     ) o
  loop
    -- Only pending chunks that have an old vector delay the Team. If new chunks did too, a Team that is always written
    -- to would keep its old vectors for ever.
    if exists (select from embedding_pending p
                 join chunk_embedding e on e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_old
                where p.team_id = v_team and p.refused_at is null) then
      v_left := true;
      continue;
    end if;
    with old as (
      select e.chunk_id, e.model from chunk_embedding e
       where e.team_id = v_team and e.model = v_old limit p_limit - v_removed for update skip locked
    )
    delete from chunk_embedding e using old
     where e.team_id = v_team and e.chunk_id = old.chunk_id and e.model = old.model;
    get diagnostics v_gone = row_count;
    v_removed := v_removed + v_gone;
    v_left := true;
    exit when v_removed >= p_limit;
  end loop;
  -- Nothing is left to delete. For an hour a process with the earlier model can still store vectors of that model.
  if not v_left and v_adopted < now() - interval '1 hour' then
    -- Only if no other model has been adopted since this call began.
    update deployment set vectors_pruned_at = now() where embedding_model = v_model and adopted_at = v_adopted;
  end if;
  return v_removed;
end $$;

revoke execute on function memory.prune_old_vectors(int) from public, memory_service, memory_worker;
grant execute on function memory.prune_old_vectors(int) to memory_worker;
