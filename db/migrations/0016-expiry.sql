-- Records can expire. From expires_at on, a record counts as archived, also before a job archives it: see memory.is_due.

alter table memory.source add column expires_at timestamptz;
-- Of a published memory, its source has the same value.
alter table memory.memory_item add column expires_at timestamptz;
-- Of the source that the import makes.
alter table memory.import add column expires_at timestamptz;

-- A search looks here for what it must hide, and finds nothing in most Teams.
create index source_expiry on memory.source (team_id, expires_at) where expires_at is not null and state = 'active';
create index memory_item_expiry on memory.memory_item (team_id, expires_at)
  where expires_at is not null and state = 'review';

-- A memory that expires while it is in review is archived without a source.
alter table memory.memory_item drop constraint memory_item_source;
alter table memory.memory_item add constraint memory_item_source
  check (state <> 'published' or source_id is not null) not valid;
alter table memory.memory_item validate constraint memory_item_source;
