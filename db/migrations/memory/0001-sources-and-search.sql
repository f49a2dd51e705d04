-- Tables of a Team's memory, and their row-level security. `team_id` leads every key.
--
-- The service works as memory_service, which owns nothing. Each transaction sets claims (see db/database.ts);
-- the policies compare with them in a sub-select, so that they are read once a statement and not once a row.
-- Not FORCEd: the owner's SECURITY DEFINER functions below must read what the service's role may not.

create extension if not exists vector;
grant usage on schema memory to memory_service;

create function memory.claimed_company() returns uuid language sql stable
  return nullif(current_setting('app.company', true), '')::uuid;
create function memory.claimed_user() returns uuid language sql stable
  return nullif(current_setting('app.user', true), '')::uuid;
create function memory.claimed_team() returns uuid language sql stable
  return nullif(current_setting('app.team', true), '')::uuid;
create function memory.reads_team_layer() returns boolean language sql stable
  return coalesce(nullif(current_setting('app.reads_team', true), ''), 'false')::boolean;
create function memory.readable_clients() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.reads_clients', true), ''), '{}')::uuid[];
create function memory.writes_team_layer() returns boolean language sql stable
  return coalesce(nullif(current_setting('app.writes_team', true), ''), 'false')::boolean;
create function memory.writable_clients() returns uuid[] language sql stable
  return coalesce(nullif(current_setting('app.writes_clients', true), ''), '{}')::uuid[];

create table memory.source (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  kind text not null check (kind in ('ingest', 'import', 'memory')),
  -- loading: its chunks are being written batch by batch, and no one sees it yet
  state text not null check (state in ('loading', 'active', 'archived')),
  title text not null,
  uri text,
  external_id text,
  content_hash bytea not null,
  metadata jsonb not null default '{}',
  chunk_count int not null default 0,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
-- One active source of a text, and one of an external id, in each layer, however many requests race.
create unique index source_content on memory.source (team_id, client_id, content_hash)
  nulls not distinct where state = 'active' and external_id is null and kind <> 'memory';
create unique index source_external_id on memory.source (team_id, client_id, external_id)
  nulls not distinct where state = 'active' and external_id is not null;
create index source_loading on memory.source (team_id, id) where state = 'loading';

create table memory.chunk (
  team_id uuid not null,
  id uuid not null,
  client_id uuid,
  source_id uuid not null,
  ordinal int not null,
  text text not null,
  headings text[] not null default '{}',
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  unique (team_id, source_id, ordinal),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
-- The order in which backfill goes through the chunks of all Teams.
create index chunk_id on memory.chunk (id);

-- Derived numbers of chunks, for search. The service's role inserts them and cannot read them: under
-- row-level security the GIN index would not be used, and the functions below take the scope from the claims.
create table memory.chunk_keyword (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  keys int[] storage main not null,
  weights sparsevec(536870912) storage main not null,
  primary key (team_id, chunk_id),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
);
-- What was not yet merged is read by every search, and merged at once by whoever fills it up: kept short.
create index chunk_keyword_keys on memory.chunk_keyword using gin (keys) with (gin_pending_list_limit = 512);
-- For the sample of document frequencies, which takes chunks in an order that has nothing to do with their age.
create index chunk_keyword_sample on memory.chunk_keyword (team_id, uuid_hash(chunk_id));

create table memory.chunk_embedding (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  model text not null,
  -- Of unit length. Both plain: detoasting, not arithmetic, is what a scan costs, and of a row over 2 kB
  -- whatever may be moved out is.
  embedding halfvec(1024) storage plain not null,
  signs bit(1024) storage plain not null generated always as (binary_quantize(embedding)::bit(1024)) stored,
  primary key (team_id, chunk_id, model),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
);
-- Holds all that the scan of a large Team's signs asks for: a tenth of the bytes of the rows themselves.
create index chunk_embedding_signs on memory.chunk_embedding (team_id, model, client_id)
  include (chunk_id, signs);

-- Chunks without a vector of the service's model, and who is making one.
create table memory.embedding_pending (
  team_id uuid not null,
  client_id uuid,
  chunk_id uuid not null,
  batch_id uuid,
  leased_until timestamptz,
  primary key (team_id, chunk_id),
  foreign key (team_id, chunk_id) references memory.chunk (team_id, id) on delete cascade
);
create index embedding_pending_batch on memory.embedding_pending (team_id, batch_id) where batch_id is not null;

create table memory.embedding_batch (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  chunk_ids uuid[] not null,
  expires_at timestamptz not null,
  -- Of the complete that was accepted: the same again gets the same answer, another is a conflict.
  request_hash bytea,
  embedded int,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);

-- Document frequencies in a sample of the Team's chunks. space: 'd' a dimension of the weights, 'k' a key.
create table memory.keyword_df (
  team_id uuid not null,
  space "char" not null check (space in ('d', 'k')),
  term int not null,
  df int not null,
  primary key (team_id, space, term)
);
create table memory.keyword_team (
  team_id uuid not null primary key,
  chunks int not null default 0,
  sampled int not null default 1,
  counted_at timestamptz not null default now()
);

-- The model of the vectors. Adopting another one makes chunks pending again, by a job: see backfill_pending.
create table memory.deployment (
  only_row boolean primary key default true check (only_row),
  embedding_model text not null,
  adopted_at timestamptz not null default now(),
  -- When every chunk was last looked at for a vector of the model.
  swept_at timestamptz
);

alter table memory.source enable row level security;
alter table memory.chunk enable row level security;
alter table memory.chunk_keyword enable row level security;
alter table memory.chunk_embedding enable row level security;
alter table memory.embedding_pending enable row level security;
alter table memory.embedding_batch enable row level security;
alter table memory.keyword_df enable row level security;
alter table memory.keyword_team enable row level security;

create policy reads on memory.source for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.source to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy reads on memory.chunk for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.chunk to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy writes on memory.chunk_keyword for insert to memory_service with check (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy writes on memory.chunk_embedding for insert to memory_service with check (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy reads on memory.embedding_pending for select to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.reads_team_layer()))
    or client_id = any ((select memory.readable_clients())::uuid[])));
create policy writes on memory.embedding_pending to memory_service using (
  team_id = (select memory.claimed_team())
  and ((client_id is null and (select memory.writes_team_layer()))
    or client_id = any ((select memory.writable_clients())::uuid[])));
create policy own on memory.embedding_batch to memory_service using (
  team_id = (select memory.claimed_team()) and user_id = (select memory.claimed_user()));
create policy team on memory.keyword_team to memory_service using (team_id = (select memory.claimed_team()));
create policy team on memory.keyword_df to memory_service using (team_id = (select memory.claimed_team()));

grant select, insert, update, delete on memory.source, memory.chunk, memory.embedding_pending,
  memory.embedding_batch to memory_service;
grant insert on memory.chunk_keyword, memory.chunk_embedding to memory_service;
grant insert on memory.keyword_team to memory_service;
grant select on memory.migration to memory_service;
