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

-- The layers of all Teams in which chunks wait for a vector. Ids alone; from what triggers noted of each change.
create function memory.layers_without_vectors()
returns table (company_id uuid, team_id uuid, client_id uuid)
language plpgsql stable security definer set search_path = memory, pg_temp
as $$
begin
  return query
  select t.company_id, l.team_id, l.client_id
    from (select y.team_id, y.client_id from memory.layer_tally y where y.part = 'pending'
           group by y.team_id, y.client_id having sum(y.n) > 0) l
    join identity.team t on t.id = l.team_id;
end $$;
revoke all on function memory.layers_without_vectors() from public;
grant execute on function memory.layers_without_vectors() to memory_service;

-- Removes at most so many vectors of earlier models, of Teams that have all of their new ones; returns how many. A Team
-- whose new vectors are not complete keeps the old: a process of the version before may still compare them.
create function memory.prune_old_vectors(p_limit int) returns int
language plpgsql volatile security definer set search_path = memory, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  v_model text;
  v_adopted timestamptz;
  v_team uuid;
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
  for v_team in
    select t.id from identity.team t
     -- Two ranges of the index; "another than" would read all vectors of the Team.
     where exists (select from chunk_embedding e where e.team_id = t.id and e.model < v_model)
        or exists (select from chunk_embedding e where e.team_id = t.id and e.model > v_model)
  loop
    if exists (select from embedding_pending p where p.team_id = v_team and p.refused_at is null) then
      v_left := true;
      continue;
    end if;
    with old as (
      select e.chunk_id, e.model from chunk_embedding e
       where e.team_id = v_team and e.model <> v_model limit p_limit - v_removed for update skip locked
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
    update deployment set vectors_pruned_at = now();
  end if;
  return v_removed;
end $$;
revoke all on function memory.prune_old_vectors(int) from public;
grant execute on function memory.prune_old_vectors(int) to memory_service;
