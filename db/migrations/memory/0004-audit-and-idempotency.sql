-- Audit events outlive what they tell of, so they refer to nothing. Append-only: the service's role may not
-- change them, and the triggers refuse everyone else.
create table memory.audit_event (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  actor_id uuid not null,
  team_id uuid,
  client_id uuid,
  layer text check (layer in ('team', 'client')),
  subject_type text not null,
  subject_id uuid,
  detail jsonb not null default '{}',
  at timestamptz not null default now(),
  primary key (company_id, id)
);
create index audit_event_team on memory.audit_event (company_id, team_id, id desc);

create function memory.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete on memory.audit_event
  for each row execute function memory.refuse_change();
create trigger append_only_truncate before truncate on memory.audit_event
  for each statement execute function memory.refuse_change();

alter table memory.audit_event enable row level security;
create policy appends on memory.audit_event for insert to memory_service with check (
  company_id = (select memory.claimed_company()) and actor_id = (select memory.claimed_user())
  and (team_id is null or (select memory.claimed_team()) is null or team_id = (select memory.claimed_team())));
create policy reads on memory.audit_event for select to memory_service using (
  company_id = (select memory.claimed_company())
  and ((select memory.claimed_team()) is null or team_id = (select memory.claimed_team())));
grant select, insert on memory.audit_event to memory_service;

-- First answers by Idempotency-Key, written in the transaction of their effect.
create table memory.idempotency_key (
  team_id uuid not null,
  user_id uuid not null,
  route text not null,
  key_hash bytea not null,
  body_hash bytea not null,
  status int not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (team_id, user_id, route, key_hash)
);
create index idempotency_key_age on memory.idempotency_key (created_at);
alter table memory.idempotency_key enable row level security;
create policy own on memory.idempotency_key to memory_service using (
  team_id = (select memory.claimed_team()) and user_id = (select memory.claimed_user()));
grant select, insert, delete on memory.idempotency_key to memory_service;

-- Removes what has had its time, of all Teams: upkeep crosses them, so it is a function and not a query under
-- claims. Answers are kept for a day, as are batches, so that a repeated complete finds its answer. A source that
-- is still loading after an hour was left by a writer that died: no living request takes as long.
-- The chunks of such a source go first, in slices: in one statement they could outlast its time.
create function memory.prune_loading_chunks(p_limit int) returns int
language sql volatile security definer set search_path = memory, public, pg_temp
begin atomic
  with stale as (
    select c.team_id, c.id from memory.source s
      join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
     where s.state = 'loading' and s.updated_at < now() - interval '1 hour' limit p_limit
  ), gone as (
    delete from memory.chunk c using stale where c.team_id = stale.team_id and c.id = stale.id returning 1
  )
  select count(*)::int from gone;
end;

create function memory.prune() returns table (answers int, loading_sources int, batches int)
language sql volatile security definer set search_path = memory, public, pg_temp
begin atomic
  with gone_answers as (
    delete from memory.idempotency_key where created_at < now() - interval '24 hours' returning 1
  ), gone_sources as (
    delete from memory.source where state = 'loading' and updated_at < now() - interval '1 hour' returning 1
  ), gone_batches as (
    delete from memory.embedding_batch where expires_at < now() - interval '24 hours' returning 1
  )
  select (select count(*)::int from gone_answers), (select count(*)::int from gone_sources),
         (select count(*)::int from gone_batches);
end;

-- Marks chunks without a vector of the adopted model as pending, the next p_limit after p_after in the order of
-- their ids, and unmarks those that have one. Null: no more, or swept since the model was adopted an hour ago.
create function memory.backfill_pending(p_after uuid, p_limit int) returns uuid
language plpgsql volatile security definer set search_path = memory, public, pg_temp
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
  insert into embedding_pending (team_id, client_id, chunk_id)
    select c.team_id, c.client_id, c.id from chunk c
     where c.id = any (v_chunks)
       and not exists (select from chunk_embedding e
                        where e.team_id = c.team_id and e.chunk_id = c.id and e.model = v_model)
    on conflict do nothing;
  delete from embedding_pending p using chunk_embedding e
   where p.chunk_id = any (v_chunks) and e.team_id = p.team_id and e.chunk_id = p.chunk_id and e.model = v_model;
  return v_chunks[array_upper(v_chunks, 1)];
end $$;

create function memory.finish_backfill() returns void
language sql volatile security definer set search_path = memory, public, pg_temp
begin atomic
  update memory.deployment set swept_at = now()
   where swept_at is null or swept_at < adopted_at + interval '1 hour';
end;

revoke execute on function memory.prune_loading_chunks(int), memory.prune(), memory.backfill_pending(uuid, int), memory.finish_backfill(),
  memory.refuse_change() from public;
grant execute on function memory.prune_loading_chunks(int), memory.prune(), memory.backfill_pending(uuid, int), memory.finish_backfill()
  to memory_service;
