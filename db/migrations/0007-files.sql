-- Workspace files as sources: a source of kind file has the text of the current version of a file.

alter table memory.source drop constraint source_kind_check;
-- Every row fulfils it, because the earlier constraint permitted less.
alter table memory.source add constraint source_kind_check
  check (kind in ('ingest', 'import', 'memory', 'file')) not valid;
alter table memory.source validate constraint source_kind_check;

-- workspace_version.file_id. A source that is loading and replaces another one has it too.
alter table memory.source add column file_id uuid;
alter table memory.source add constraint source_file check (file_id is null or kind = 'file') not valid;
alter table memory.source validate constraint source_file;
create unique index source_file_id on memory.source (team_id, file_id) where state = 'active' and file_id is not null;

-- Of an imported file with the text of another source: the first source of the layer with that text.
alter table memory.source add column same_as uuid;
create index source_same_as on memory.source (team_id, same_as) where same_as is not null;
-- Files have their text even if it repeats another source.
drop index memory.source_content;
create unique index source_content on memory.source (team_id, client_id, content_hash)
  nulls not distinct
  where state = 'active' and external_id is null and same_as is null and kind not in ('memory', 'file');

-- Whether searches find a version. Null: nobody has decided, as for versions from before there was an index, and for those
-- that were pushed while MEMORY_INDEX_FILES was off. no: its format cannot be read, or it is empty.
alter table memory.workspace_version add column indexed text;
alter table memory.workspace_version add constraint workspace_version_indexed
  check (indexed in ('yes', 'pending', 'no', 'failed')) not valid;
alter table memory.workspace_version validate constraint workspace_version_indexed;
grant update (indexed) on memory.workspace_version to memory_service;
-- For upkeep: the live files on which nobody has decided, and those that wait.
create index workspace_version_undecided on memory.workspace_version (team_id, indexed, id)
  where (indexed is null or indexed = 'pending') and until_revision is null and sha256 is not null;
