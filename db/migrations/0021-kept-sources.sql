-- Archived sources can be restored: their chunks are kept for some days, in tables that only the functions of archiving,
-- restoring, purge and upkeep read.

-- An archived source that can be restored. Its kept chunks, and how many bytes their texts have.
create table memory.kept_source (
  team_id uuid not null,
  client_id uuid,
  source_id uuid not null,
  archived_at timestamptz not null default now(),
  chunks int not null,
  bytes bigint not null,
  -- The sketch of its text, if it had one.
  bands int[],
  signature bytea,
  primary key (team_id, source_id),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
create index kept_source_end on memory.kept_source (archived_at);
alter table memory.kept_source enable row level security;

-- A chunk of such a source, as it was in memory.chunk: all columns except client_id, which the source has. With its terms
-- and one vector, of the model of the service if it had one.
create table memory.kept_chunk (
  team_id uuid not null,
  source_id uuid not null,
  ordinal int not null,
  id uuid not null,
  text text not null,
  headings text[] not null,
  page int,
  sheet text,
  row int,
  slide int,
  created_at timestamptz not null,
  text_hash bytea,
  keys int[],
  weights sparsevec(536870912),
  model text,
  embedding halfvec(1024),
  primary key (team_id, source_id, ordinal),
  foreign key (team_id, source_id) references memory.kept_source (team_id, source_id) on delete cascade
);
alter table memory.kept_chunk enable row level security;
