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
