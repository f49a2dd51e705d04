-- When what a record tells of happened: a time, or a day, which is stored as its first moment in UTC.
-- Null: unknown.
alter table memory.source
  add column occurred_at timestamptz, add column occurred_is_day boolean,
  add constraint source_occurred check ((occurred_at is null) = (occurred_is_day is null));
-- Of a published memory, its source has the same value.
alter table memory.memory_item
  add column occurred_at timestamptz, add column occurred_is_day boolean,
  add constraint memory_item_occurred check ((occurred_at is null) = (occurred_is_day is null));
alter table memory.capture
  add column occurred_at timestamptz, add column occurred_is_day boolean,
  add constraint capture_occurred check ((occurred_at is null) = (occurred_is_day is null));
-- As the request said. It counts more than the date of the document.
alter table memory.import
  add column occurred_at timestamptz, add column occurred_is_day boolean,
  add constraint import_occurred check ((occurred_at is null) = (occurred_is_day is null));

-- The days that documents told.
update memory.source set occurred_at = document_date::timestamp at time zone 'UTC', occurred_is_day = true
 where document_date is not null;
alter table memory.source drop column document_date;

-- The date by which searches and lists filter.
create index source_date on memory.source (team_id, (coalesce(occurred_at, created_at)));

-- Functions that have other arguments now. They are in db/functions.
drop function if exists memory.search_candidates(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean);
drop function if exists memory.search_hits(uuid, public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, text[], int, boolean, boolean);
drop function if exists memory.choose_filter(text[], uuid[], timestamptz, timestamptz, text[]);
drop function if exists memory.few_sources(text[], uuid[], text[]);
