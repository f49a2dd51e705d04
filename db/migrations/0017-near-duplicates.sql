-- Near duplicates: sources of a layer with nearly the same text are found by sketches of their texts.

-- The sketch of the text of a source. Numbers, and no text. The service deletes a sketch with the chunks that it was made
-- of, and reads and writes the numbers only with memory.sketch_source.
create table memory.source_sketch (
  team_id uuid not null,
  client_id uuid,
  source_id uuid not null,
  -- Two similar texts have at least one band in common.
  bands int[] not null,
  -- The share of equal bytes of two signatures estimates the similarity of their texts.
  signature bytea not null,
  primary key (team_id, source_id),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
-- Without a list of pending entries, because every insert is followed by a look-up, which would read all of it.
create index source_sketch_bands on memory.source_sketch using gin (bands) with (fastupdate = off);
alter table memory.source_sketch enable row level security;
create policy writes on memory.source_sketch to memory_service
  using (team_id = (select memory.claimed_team())
    and ((client_id is null and (select memory.writes_team_layer()))
      or client_id = any ((select memory.writable_clients())::uuid[])));
grant delete, select (team_id, client_id, source_id) on memory.source_sketch to memory_service;

-- The near duplicates of the source when the import was completed: [{ sourceId, similarity }].
alter table memory.import add column near_duplicates jsonb not null default '[]';
-- To find the imports of a source, and the near duplicates that name it, when it is purged.
create index import_source on memory.import (team_id, source_id) where source_id is not null;
create index import_near_duplicates on memory.import (team_id) where near_duplicates <> '[]';
