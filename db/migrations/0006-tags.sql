-- The tags of a source, and of the import or the memory that it comes from: normalized, each once.
alter table memory.source add column tags text[] not null default '{}';
alter table memory.import add column tags text[] not null default '{}';
alter table memory.memory_item add column tags text[] not null default '{}';

-- The sources that have tags. Lists and searches by tag do not read the others, and writing the others costs nothing.
create index source_tagged on memory.source (team_id, id) where tags <> '{}';

-- The functions of the search that have more arguments. They are in db/functions.
drop function if exists memory.search_candidates(public.halfvec, text, float8, int[], real[], real[], int[], int[],
  text[], uuid[], timestamptz, timestamptz, int, boolean);
drop function if exists memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz);
