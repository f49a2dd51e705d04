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

-- Keys are kept for a day. Upkeep crosses Teams, so it is a function and not a query under claims.
create function memory.prune_idempotency_keys() returns int
language sql volatile security definer set search_path = memory, public, pg_temp
begin atomic
  with gone as (delete from memory.idempotency_key where created_at < now() - interval '24 hours' returning 1)
  select count(*)::int from gone;
end;

-- Sources whose writer died half-way. No living request takes an hour.
create function memory.prune_loading_sources() returns int
language sql volatile security definer set search_path = memory, public, pg_temp
begin atomic
  with gone as (delete from memory.source where state = 'loading' and updated_at < now() - interval '1 hour'
                returning 1)
  select count(*)::int from gone;
end;

revoke execute on function memory.prune_idempotency_keys(), memory.prune_loading_sources(), memory.refuse_change()
  from public;
grant execute on function memory.prune_idempotency_keys(), memory.prune_loading_sources() to memory_service;
