-- Vectors that the service makes itself: what the worker could not embed, how its model stands, and what becomes of the
-- vectors of a model that is no longer used.

-- Set where the model gave no vector of a chunk, so that it keeps no others waiting. Tried again after a day.
alter table memory.embedding_pending add column refused_at timestamptz;

-- How the worker's model stands: {"state", "chunksPerMinute", …}. Null where the worker makes no vectors.
alter table memory.worker add column embedder jsonb;

-- When the last vector of an earlier model was removed.
alter table memory.deployment add column vectors_pruned_at timestamptz;

-- Whether vectors of this model are those that searches compare: a process of the version before, which may still run
-- for a while, must not take the marks of chunks and store vectors of another model.
create function memory.is_adopted_model(p_model text) returns boolean
language sql stable security definer set search_path = memory, pg_temp
begin atomic
  select exists (select from memory.deployment where embedding_model = p_model);
end;
revoke all on function memory.is_adopted_model(text) from public;
grant execute on function memory.is_adopted_model(text) to memory_service;

-- The marks of one layer, the newest at its end: pending ones are taken from there, and layers found by leaps.
create index embedding_pending_layer on memory.embedding_pending (team_id, client_id, chunk_id);

-- Leases chunks without a vector where the claims may write, the newest first, passing by what others hold. A chunk of
-- the same batch is leased anew; one of which the model gave no vector waits for a day, unless it is wanted too.
-- Whatever the statistics say, and with none on the embedded database, marks are read from the end of their index: by
-- a sort a hundred thousand of them took 2 s for each slice.
create function memory.lease_pending(p_batch uuid, p_limit int, p_seconds int, p_refused_too boolean)
returns table (chunk_id uuid, leased_until timestamptz)
language plpgsql volatile security definer rows 16
set search_path = memory, pg_temp
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_team_layer constant boolean := memory.writes_team_layer();
  v_clients constant uuid[] := memory.writable_clients();
  v_layers text := '((p.client_id is null and $2) or p.client_id = any ($3))';
  v_order text := 'p.team_id desc, p.chunk_id desc';
begin
  if v_team_layer <> (cardinality(v_clients) = 1) and cardinality(v_clients) < 2 then
    v_layers := case when v_team_layer then 'p.client_id is null' else 'p.client_id = $3[1]' end;
    v_order := 'p.team_id desc, p.client_id desc, p.chunk_id desc';
  end if;
  return query execute format(
    'with free as (
       select p.team_id, p.chunk_id from embedding_pending p
        where p.team_id = $1 and %s
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $4)
          and ($7 or p.refused_at is null or p.refused_at < now() - interval ''1 day'')
          -- Not of a source that is still loading. No join, which could be taken in another order.
          and ''active'' = (select s.state from source s where s.team_id = p.team_id and s.id = (
            select c.source_id from chunk c where c.team_id = p.team_id and c.id = p.chunk_id))
        order by %s limit $5 for update of p skip locked
     )
     update embedding_pending p set batch_id = $4, leased_until = now() + make_interval(secs => $6)
       from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
     returning p.chunk_id, p.leased_until', v_layers, v_order)
    using memory.claimed_team(), v_team_layer, v_clients, p_batch, p_limit, p_seconds, p_refused_too;
end $$;
revoke all on function memory.lease_pending(uuid, int, int, boolean) from public;
grant execute on function memory.lease_pending(uuid, int, int, boolean) to memory_service;

-- The layers of all Teams in which the service may make a vector now. Ids alone; leaps from one layer to the next.
create function memory.layers_without_vectors()
returns table (company_id uuid, team_id uuid, client_id uuid)
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
  v_client uuid;
begin
  loop
    select p.team_id into v_team from embedding_pending p where p.team_id > v_team order by p.team_id limit 1;
    exit when not found;
    select t.company_id into v_company from identity.team t where t.id = v_team and t.deleted_at is null;
    continue when not found;
    v_client := '00000000-0000-0000-0000-000000000000';
    loop
      -- Null, the Team layer, comes last.
      select p.client_id into v_client from embedding_pending p
       where p.team_id = v_team and p.client_id > v_client order by p.client_id limit 1;
      exit when not found;
      if exists (select from embedding_pending p
                  where p.team_id = v_team and p.client_id = v_client
                    and (p.leased_until is null or p.leased_until <= now())
                    and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
        return query select v_company, v_team, v_client;
      end if;
    end loop;
    if exists (select from embedding_pending p
                where p.team_id = v_team and p.client_id is null
                  and (p.leased_until is null or p.leased_until <= now())
                  and (p.refused_at is null or p.refused_at < now() - interval '1 day')) then
      return query select v_company, v_team, null::uuid;
    end if;
  end loop;
end $$;
revoke all on function memory.layers_without_vectors() from public;
grant execute on function memory.layers_without_vectors() to memory_service;

-- Removes at most so many vectors of earlier models, of Teams whose chunks with an old vector all have a new one, or were
-- refused; returns how many. Until then a process of the version before may still compare them.
create function memory.prune_old_vectors(p_limit int) returns int
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
  -- swept_at: every chunk without a vector of the new model is marked.
  select d.embedding_model, d.adopted_at into v_model, v_adopted from deployment d
   where d.swept_at is not null and (d.vectors_pruned_at is null or d.vectors_pruned_at < d.adopted_at);
  if not found then
    return 0;
  end if;
  for v_team, v_old in
    select t.id, o.model from identity.team t
     -- Two ranges of the index; "another than" would read all vectors of the Team.
     cross join lateral (
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model < v_model limit 1)
       union all
       (select e.model from chunk_embedding e where e.team_id = t.id and e.model > v_model limit 1)
     ) o
  loop
    -- Not of whatever waits: a Team that is always written to would keep them for good.
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
  -- For an hour a process of the version before may still store vectors of the old model.
  if not v_left and v_adopted < now() - interval '1 hour' then
    -- Not of an adoption that came meanwhile.
    update deployment set vectors_pruned_at = now() where embedding_model = v_model and adopted_at = v_adopted;
  end if;
  return v_removed;
end $$;
revoke all on function memory.prune_old_vectors(int) from public;
grant execute on function memory.prune_old_vectors(int) to memory_service;
