create table memory.import (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  filename text not null,
  title text not null,
  media_type text not null,
  bytes int not null,
  attempts int not null default 0,
  error_code text,
  error_message text,
  source_id uuid,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index import_by_state on memory.import (team_id, state, id desc);

-- The file itself, apart, so that lists of imports never read it. Gone when the import is completed.
create table memory.import_payload (
  team_id uuid not null,
  client_id uuid,
  import_id uuid not null,
  content bytea not null,
  primary key (team_id, import_id),
  foreign key (team_id, import_id) references memory.import (team_id, id) on delete cascade
);

-- Living workers, by their own word. No tenant's data.
create table memory.worker (
  id uuid primary key,
  started_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  queues text[] not null,
  rss_bytes bigint not null
);

alter table memory.import enable row level security;
alter table memory.import_payload enable row level security;
create policy reads on memory.import for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.import to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy writes on memory.import_payload to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));

grant select, insert, update, delete on memory.import, memory.import_payload to memory_service;
grant select, insert, update, delete on memory.worker to memory_service;
