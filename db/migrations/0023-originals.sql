-- The files that imports were made of, which stay after the import.

-- Each content that sources of a Team have as their original, once. The bytes are in the store of contents.
create table memory.original (
  team_id uuid not null,
  sha256 bytea not null check (length(sha256) = 32),
  -- The Company of the content.
  company_id uuid not null,
  bytes int not null,
  primary key (team_id, sha256),
  foreign key (company_id, sha256) references memory.workspace_blob (company_id, sha256)
);
create index original_content on memory.original (company_id, sha256);
-- Only functions read and write it.
alter table memory.original enable row level security;

-- The file of a source, and its size and media type. It is a part of the source, so that it has the layer of the source.
alter table memory.source
  add column original_sha256 bytea,
  add column original_bytes int,
  add column original_media_type text;
-- Every row fulfils them, because the columns are new.
alter table memory.source add constraint source_original_fields check (
  (original_sha256 is null) = (original_bytes is null) and (original_sha256 is null) = (original_media_type is null))
  not valid;
alter table memory.source validate constraint source_original_fields;
alter table memory.source add constraint source_original
  foreign key (team_id, original_sha256) references memory.original (team_id, sha256) not valid;
alter table memory.source validate constraint source_original;
-- With the layer, which decides who can read the content.
create index source_original on memory.source (team_id, original_sha256, client_id) where original_sha256 is not null;

-- A content is also read by callers who can read an active source that has it as its original: the policy of the sources
-- applies within this one.
create policy reads_originals on memory.workspace_blob for select to memory_service using (
  company_id = (select memory.claimed_company())
  and exists (select from memory.source s
               where s.team_id = (select memory.claimed_team()) and s.original_sha256 = workspace_blob.sha256
                 and s.state = 'active'));
