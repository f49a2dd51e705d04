-- Contents of files can be stored as objects of a bucket, outside of the database.

alter table memory.workspace_blob
  alter column content drop not null,
  -- The object with the content; null if the content is in this row. An object is written once and never replaced, so an
  -- object that no row names can be deleted at any time.
  add column object_id uuid,
  -- The SHA-256 of each MiB of the object, one after another, so that a part of it can be verified.
  add column block_sha256 bytea;
-- Every row fulfils it, because the columns are new.
alter table memory.workspace_blob add constraint workspace_blob_place check (
  (content is null) = (object_id is not null) and (object_id is null) = (block_sha256 is null)) not valid;
alter table memory.workspace_blob validate constraint workspace_blob_place;
-- What is to be moved to the database, and whether anything is in a bucket.
create index workspace_blob_object on memory.workspace_blob (company_id, sha256) where object_id is not null;

-- Where new contents are stored if the service has a bucket: in it, or in the database, after all contents were to be moved
-- there. One row. Only functions and the owner read and write it.
create table memory.blob_place (
  only_row boolean primary key default true check (only_row),
  uses_bucket boolean not null
);
insert into memory.blob_place (uses_bucket) values (true);

-- It returns the objects too.
drop function if exists memory.prune_workspace_blobs(int);
