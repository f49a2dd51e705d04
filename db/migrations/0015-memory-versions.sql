-- Every text that a memory has had. The trigger memory.record_version (db/functions) inserts the rows.

create table memory.memory_version (
  team_id uuid not null,
  memory_id uuid not null,
  -- The version of the memory that first had this text. A change that keeps the text has no row.
  version int not null,
  client_id uuid,
  title text not null,
  content text not null,
  -- Whether searches ever found it. What was only in review is for reviewers.
  published boolean not null,
  actor_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (team_id, memory_id, version),
  foreign key (team_id, memory_id) references memory.memory_item (team_id, id) on delete cascade
);
alter table memory.memory_version enable row level security;
create policy reads on memory.memory_version for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.memory_version to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
-- A version stays as it was written. Only its publication is noted later.
grant select, insert, update (published) on memory.memory_version to memory_service;

-- Earlier texts of the memories that exist were not kept.
insert into memory.memory_version (team_id, memory_id, version, client_id, title, content, published, actor_id, created_at)
  select team_id, id, version, client_id, title, content, state in ('published', 'archived'),
         coalesce(decided_by, created_by), updated_at
    from memory.memory_item;

-- A memory that was published once keeps its source in every state. The source is active while the memory is published.
alter table memory.memory_item drop constraint memory_item_check;
alter table memory.memory_item add constraint memory_item_source
  check (state not in ('published', 'archived') or source_id is not null) not valid;
alter table memory.memory_item validate constraint memory_item_source;

-- To find the memories that refer to a capture.
create index memory_item_captures on memory.memory_item using gin (capture_ids) with (gin_pending_list_limit = 512);

-- A function that has other arguments now. It is in db/functions.
drop function if exists memory.similar_memories(uuid, public.halfvec, text, int[], real[], int[], int);
