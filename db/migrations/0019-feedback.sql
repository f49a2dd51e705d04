-- What callers say of the hits of their searches. It belongs to the source of the hit, which decides who can read it.
create table memory.feedback (
  team_id uuid not null,
  id uuid not null,
  created_by uuid not null,
  created_by_token uuid default memory.claimed_token(),
  -- The search, by the subject of its audit event.
  query_id uuid not null,
  -- The text can have been replaced since.
  chunk_id uuid not null,
  source_id uuid not null,
  verdict text not null check (verdict in ('useful', 'wrong', 'outdated')),
  note text,
  created_at timestamptz not null default now(),
  -- When someone decided on it. Null: a verdict other than useful waits for a decision.
  settled_at timestamptz,
  primary key (team_id, id),
  unique (team_id, created_by, query_id, chunk_id),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
create index feedback_source on memory.feedback (team_id, source_id);
create index feedback_open on memory.feedback (team_id, source_id) where settled_at is null and verdict <> 'useful';

-- The policies of memory.source apply to the sub-selects, so the layers are checked too.
alter table memory.feedback enable row level security;
create policy reads on memory.feedback for select to memory_service using (
  team_id = (select memory.claimed_team())
  and exists (select from memory.source s where s.team_id = feedback.team_id and s.id = feedback.source_id));
create policy gives on memory.feedback for insert to memory_service with check (
  team_id = (select memory.claimed_team()) and created_by = (select memory.claimed_user())
  and exists (select from memory.source s where s.team_id = feedback.team_id and s.id = feedback.source_id));
create policy settles on memory.feedback for update to memory_service using (
  team_id = (select memory.claimed_team())
  and exists (
    select from memory.source s
     where s.team_id = feedback.team_id and s.id = feedback.source_id
       and (feedback.created_by = (select memory.claimed_user())
         or (s.client_id is null and (select memory.writes_team_layer()))
         or s.client_id = any ((select memory.writable_clients())::uuid[]))));
grant select, insert, update (verdict, note, created_at, created_by_token, settled_at) on memory.feedback to memory_service;

-- How often searches have found a source, and how often it was opened. Who did so is not stored. A table of its own,
-- because its rows change often. Only memory.add_source_uses writes it.
create table memory.source_use (
  team_id uuid not null,
  source_id uuid not null,
  found bigint not null default 0,
  opened bigint not null default 0,
  last_found_at timestamptz,
  primary key (team_id, source_id),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
) with (fillfactor = 70);
alter table memory.source_use enable row level security;
create policy reads on memory.source_use for select to memory_service using (
  team_id = (select memory.claimed_team())
  and exists (select from memory.source s where s.team_id = source_use.team_id and s.id = source_use.source_id));
grant select on memory.source_use to memory_service;
